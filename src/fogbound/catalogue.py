"""What comes with Fogbound: the games and the agents, by name."""

from fogbound.core.registry import register_agent, register_family

register_family("scotland-yard", "fogbound.games.scotland_yard.game:FAMILY")
register_family("empire", "fogbound.games.empire.game:FAMILY")
register_family("risk", "fogbound.games.risk.game:FAMILY")

register_agent("person", "fogbound.agents.person:Person")
register_agent("random", "fogbound.agents.random:Random")
register_agent("random", "fogbound.agents.risk.random:RandomRisk", family="risk")
register_agent("heuristic", "fogbound.agents.scotland_yard.heuristic:Heuristic", family="scotland-yard")
register_agent("heuristic", "fogbound.agents.risk.heuristic:Heuristic", family="risk")
register_agent("heuristic", "fogbound.agents.empire.heuristic:Heuristic", family="empire")
register_agent("alphabeta", "fogbound.agents.scotland_yard.alphabeta:AlphaBeta", family="scotland-yard")
register_agent("flat", "fogbound.agents.flat:Flat")
register_agent("flat", "fogbound.agents.empire.flat:FlatEmpire", family="empire")
register_agent("mcts", "fogbound.agents.mcts:Mcts")
register_agent("mcts", "fogbound.agents.scotland_yard.mcts:ScotlandYardMcts", family="scotland-yard")
register_agent("mcts", "fogbound.agents.risk.mcts:RiskMcts", family="risk")
register_agent("turns", "fogbound.agents.risk.turns:Turns", family="risk")
register_agent("turns", "fogbound.agents.empire.turns:Turns", family="empire")
register_agent("perfect", "fogbound.agents.scotland_yard.perfect:Perfect", family="scotland-yard")
register_agent("net", "fogbound.agents.scotland_yard.net:Net", family="scotland-yard")
register_agent("qtable", "fogbound.agents.scotland_yard.qtable:QTable", family="scotland-yard")
register_agent("net", "fogbound.agents.risk.net:Net", family="risk")
