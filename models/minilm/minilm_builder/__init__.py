"""Makes the data files of omoide_minilm from the carrier package, with the graph builder of omoide-e5-small."""
