"""The commands of the knowledge graph: edges between entities, and between memories."""
