"""How memories look outside: an importer and an exporter for each format, one file a format."""
