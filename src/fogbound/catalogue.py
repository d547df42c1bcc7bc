"""What comes with Fogbound: the games and the agents, by name."""

from fogbound.core.registry import register_agent, register_family

register_family("scotland-yard", "fogbound.games.scotland_yard.game:FAMILY")
register_family("empire", "fogbound.games.empire.game:FAMILY")
register_family("risk", "fogbound.games.risk.game:FAMILY")

register_agent("random", "fogbound.agents.random:Random")
register_agent("person", "fogbound.agents.person:Person")
register_agent("heuristic", "fogbound.agents.heuristic.scotland_yard:Heuristic", family="scotland-yard")
register_agent("heuristic", "fogbound.agents.heuristic.empire:Heuristic", family="empire")
register_agent("random", "fogbound.agents.random_risk:RandomRisk", family="risk")
register_agent("heuristic", "fogbound.agents.heuristic.risk:Heuristic", family="risk")
