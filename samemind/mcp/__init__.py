"""The memory as tools for agents, over MCP: the same verbs, described for a model that chooses among them."""
