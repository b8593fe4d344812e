# SPDX-License-Identifier: MIT
"""What PACCO ("Efficient implementation of data flow graphs on multi-gpu clusters") says, and how ours differs."""

# by key, in the order of a report: (title, what differs from the paper, and why)
TABLES = {
    "1": ("transfer rates", "The paper's 2 and 6 transfers go to several boards, ours to one device. A CPU device "
          "shares the host's memory: there copies are forced."),
    "2": ("time of each step of saliency", "Other devices than the paper's. Its normalize and Itti's method are one "
          "step here; its last step, normalize and fuse, stands at sum."),
}
FIGURES = {
    "2": ("one host, A on a device and B on another, without overlap",
          "The paper copies before and behind the kernel in one cycle. Here a window moves as soon as it can, and a "
          "copy behind a kernel counts as the next cycle."),
    "3": ("the same with overlap", "The paper's six cycles are the transfers and kernels between the producer's cycle "
          "and the consumer's; no cycle waits for another here."),
    "4": ("one device: time of a token over the kernel's time", "A driver whose commands take time by the clock, at 1 "
          "GB/s; half duplex, because both directions of the paper's board took turns."),
    "9": ("the buffers of fig. 5's network", "The paper gives no sizes and not all places: 16 MB, and where a and c1 "
          "are, is inferred. Buffers that it names have its numbers."),
    "10": ("merged buffers of fig. 5's network", "The paper's rule would free 4 buffers and lose tokens. What is alive "
           "at once stays apart here: 2 are freed, as in its picture."),
    "14": ("memory of each place, P-I-I-C on two hosts", "Nothing: 32 and 64 MB, as in the paper."),
    "15": ("P-I-I-C: time of a token over nb_loop", "On a driver that takes time by the clock. On one host "
           "all hops are equal, so the bound is 2.0. Two hosts are two processes with a modelled network. All rates "
           "are a fifth of the paper's, so that the bound is its 2.52."),
    "17": ("granulometric curve and pattern spectrum", "Another image: the paper's is not published."),
    "18": ("granulometry as three tasks", "A sink stands behind the second device: what it finds comes back."),
    "19": ("what the second device costs", "The paper says +3 without overlap and +1 with, against its own rules: it "
           "is +3 with; without, +2 in its phases, +1 in the loop of its section 3.1."),
    "20": ("granulometry: time of an image over N", "The paper gives no times. Reading takes as long as makes the "
           "model's speed-up the paper's 2.7."),
    "22": ("the 24 Gabor filters", "The paper's picture is not in its text: a row is a band, a column an orientation."),
    "23": ("trace of a pipelined run of saliency", "Devices that take the paper's times by the clock, "
           "or what is here, instead of two GPUs."),
    "24": ("saliency on two devices: the plan", "The paper halves the first device's buffers by sharing what is alive "
           "at once. With overlap its last output has two windows, so that sharing saves little."),
}

TRANSFERS = {"AsRock X58": {"1": 3.0e9, "2": 6.0e9, "6": 7.0e9}, "Asus P6T7": {"1": 5.5e9, "2": 7.1e9, "6": 7.1e9}}
LOCKED = 1.7  # page-locked memory, in times of pageable

# table 2, s; normalize is the sum of two of its lines
STEPS = ("window", "fft", "gabor", "ifft", "interactions", "normalize", "sum")
SALIENCY = {"512x512": (136e-6, 358e-6, 1446e-6, 6645e-6, 4127e-6, 6722e-6, 3405e-6),
            "720x576": (225e-6, 738e-6, 2276e-6, 14908e-6, 12510e-6, 11393e-6, 5681e-6)}
FRAMES = {"512x512": 44, "720x576": 21, "two devices": 33}  # a second

CYCLES = {"2": 2, "3": 6}
ONE_HOST_BOUND = 2.0  # two transfers' worth of time, where the kernel takes as long as a hop
PIIC = {"speedup": 2.7, "nb_loop": 120, "formula": 2.52, "half duplex": 2.96}
PIIC_RATES = (5e9, 2.6e9)  # bytes/s: copies, network
PIIC_BYTES = 16000000
MERGED = 2  # fig. 10: buffers that merging frees
MEMORY = {"on": 64e6, "off": 32e6}  # fig. 14: bytes a place
GRANULOMETRY = {"best": 28, "openings": 40, "speedup": 2.7}
EXTRA = {"on": 1, "off": 3}  # cycles of the second device, as the paper says
LOOP_EXTRA = {"on": CYCLES["3"] // 2, "off": CYCLES["2"] // 2}  # and by its figs. 2 and 3, of two devices
HALVED = 2.0  # fig. 24: buffers of the first device before by after merging
SECOND_BUSY = 0.55  # of the second device's time
