"""What comes with Fogbound: the games and the agents, by name."""

from fogbound.core.registry import register_agent, register_family

register_family("scotland-yard", "fogbound.games.scotland_yard.game:FAMILY")
register_family("empire", "fogbound.games.empire.game:FAMILY")
register_family("risk", "fogbound.games.risk.game:FAMILY")

register_agent("person", "fogbound.agents.person:Person")
register_agent("random", "fogbound.agents.random:Random")
register_agent("random", "fogbound.agents.random_risk:RandomRisk", family="risk")
register_agent("heuristic", "fogbound.agents.heuristic.scotland_yard:Heuristic", family="scotland-yard")
register_agent("heuristic", "fogbound.agents.heuristic.risk:Heuristic", family="risk")
register_agent("heuristic", "fogbound.agents.heuristic.empire:Heuristic", family="empire")
register_agent("alphabeta", "fogbound.agents.alphabeta:AlphaBeta", family="scotland-yard")
register_agent("flat", "fogbound.agents.flat_mc:Flat")
register_agent("flat", "fogbound.agents.flat_empire:FlatEmpire", family="empire")
register_agent("mcts", "fogbound.agents.mcts:Mcts")
register_agent("mcts", "fogbound.agents.scotland_yard_search:ScotlandYardMcts", family="scotland-yard")
register_agent("mcts", "fogbound.agents.risk_tree:RiskMcts", family="risk")
register_agent("turns", "fogbound.agents.risk_search:Turns", family="risk")
register_agent("turns", "fogbound.agents.empire_search:Turns", family="empire")
register_agent("perfect", "fogbound.agents.perfect:Perfect", family="scotland-yard")
register_agent("net", "fogbound.agents.net_scotland_yard:Net", family="scotland-yard")
register_agent("qtable", "fogbound.agents.qtable:QTable", family="scotland-yard")
register_agent("net", "fogbound.agents.net_risk:Net", family="risk")
