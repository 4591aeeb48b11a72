"""rmbr.integrations: omoide's adapters under rmbr's names."""
