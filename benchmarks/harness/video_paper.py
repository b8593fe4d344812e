# SPDX-License-Identifier: MIT
"""What the paper behind adaptive pipelines says (Vilches et al., "Mapping streaming applications on commodity multi-CPU
and GPU on-chip processors"), and how ours differs."""

SOURCE = ("Vilches et al., Mapping streaming applications on commodity multi-CPU and GPU on-chip processors: quad-core "
          "chips with a GPU (Ivy Bridge, Haswell) and energy counters")
# Table V, by application and chip: CPU MG, CPU CG, GPU, baseline, best, configuration
CHIPS = ("Ivy Bridge", "Haswell")
RATES = {"vivid-ld": ((40, 62, 10, 51, 65, "CP-CG (5)"), (59, 47, 22, 80, 91, "CP-MG")),
         "vivid-hd": ((3.7, 3.1, 1.1, 5.6, 5.9, "CP-MG"), (5.4, 2.8, 2.7, 6.5, 7.2, "CP-MG")),
         "srad": ((82, 62, 72, 114, 132, "DP-MG"), (95, 64, 93, 147, 170, "DP-MG")),
         "tracking": ((6.2, 10, 6.8, 13, 16, "CP-CG (4)"), (6.3, 11, 9.2, 13, 19, "DP-CG (5)"))}
RATIOS = {"vivid-ld": ((46, 83, 8, 66, 92, "CP-CG (5)"), (61, 43, 24, 116, 134, "CP-MG")),
          "vivid-hd": ((0.3, 0.2, 0.1, 0.6, 0.7, "CP-MG"), (0.5, 0.1, 0.3, 0.78, 0.9, "CP-MG")),
          "srad": ((212, 100, 362, 403, 523, "DP-MG"), (182, 79, 673, 499, 673, "DP-CG (1)")),
          "tracking": ((1.3, 3.2, 2.8, 4.0, 6.7, "CP-CG (4)"), (1.1, 2.8, 4.0, 3.7, 8.4, "DP-CG (5)"))}
VALUES = {"rate": RATES, "ratio": RATIOS}
# of the chosen one over the baseline: mean, least, most
IMPROVED = {"rate": (0.20, 0.05, 0.46), "ratio": (0.43, 0.12, 1.27), "energy": (0.18, 0.01, 0.55)}
SPACE = {"vivid-ld": 48, "srad": 384, "tracking": 48, "scene": 5}  # configurations of four cores
SPACE_CORES = 4
LESSON = (16, 16)  # V-D: how often it held, of how many
ACCURACY = "2 % to 16 %"
