"""What comes with Fogbound: the games and the agents, by name."""

from fogbound.core.registry import register_agent, register_family

register_family("scotland-yard", "fogbound.games.scotland_yard.game:FAMILY")

register_agent("random", "fogbound.agents.random:Random")
register_agent("person", "fogbound.agents.person:Person")
register_agent("heuristic", "fogbound.agents.heuristic.scotland_yard:Heuristic", family="scotland-yard")
register_agent("perfect", "fogbound.agents.perfect:Perfect", family="scotland-yard")
