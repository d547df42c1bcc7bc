"""What comes with Fogbound, by name: the games, each of which names its own agents, and the agents for any game."""

from fogbound.core.places import register_agent, register_family

register_family("scotland-yard", "fogbound.games.scotland_yard.game:FAMILY")
register_family("risk", "fogbound.games.risk.game:FAMILY")
register_family("empire", "fogbound.games.empire.game:FAMILY")

register_agent("person", "fogbound.agents.person:Person")
register_agent("program", "fogbound.agents.program:Program")
register_agent("random", "fogbound.agents.random:Random")
register_agent("flat", "fogbound.agents.flat:Flat")
register_agent("mcts", "fogbound.agents.mcts:Mcts")
register_agent("blunders", "fogbound.agents.blunders:Blunders")
register_agent("champion", "fogbound.agents.champion:Champion")
