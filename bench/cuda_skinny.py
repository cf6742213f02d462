# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Variants of the templates in src/kernels/matmul_cuda, timed on one device beside PyTorch.

Needs PyTorch with CUDA (NVRTC comes with it). The tables of choice.cpp were read off its output.

    python bench/cuda_skinny.py                 # every case and variant
    python bench/cuda_skinny.py --case f16_64   # one case
    python bench/cuda_skinny.py --compile-only  # without a device: registers and spills
    python bench/cuda_skinny.py --rivals        # with torch.compile max-autotune

Method: CUDA events around one launch, L2 flushed by reading a large buffer before each, host cost
hidden behind a spinning kernel, median of 21. Every variant is compared with float64 first.
"""

import argparse
import ctypes
import glob
import itertools
import json
import os
import re
import statistics
import struct
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

TEMPLATES = Path(__file__).resolve().parent.parent / "src/kernels/matmul_cuda"
BANDWIDTH = 4.22e12

PRELUDE = {
    "float32": "typedef float Element, ElementC; typedef float Acc;",
    "float64": "typedef double Element, ElementC; typedef double Acc;",
    "float16": "typedef F16 Element, ElementC; typedef float Acc;",
    "bfloat16": "typedef BF16 Element, ElementC; typedef float Acc;",
    "complex64": "typedef C64 Element, ElementC, Acc;",
}
SIZE = {"float32": 4, "float64": 8, "float16": 2, "bfloat16": 2, "complex64": 8}

EPILOGS = {
    "plain": """
struct EpilogArgs { Element* d; const Element* bias; Index ldd; Index batch_d; };
constexpr Index kLdd = MW_N;
struct EpilogColumns {};
template <int kCount>
__device__ __forceinline__ void epilog_columns(const EpilogArgs&, EpilogColumns*, Index, int, int) {}
template <int kCount>
__device__ __forceinline__ void epilog(const EpilogArgs& e, const EpilogColumns*, const Acc* x,
                                       Index batch, const Place& at, int valid) {
  put<kCount, MW_VEC_D>(e.d + batch * e.batch_d + at.offset(kLdd), x, valid);
}
""",
    "relu_bias": """
struct EpilogArgs { Element* d; const Element* bias; Index ldd; Index batch_d; };
constexpr Index kLdd = MW_N;
struct EpilogColumns { Acc bias; };
template <int kCount>
__device__ __forceinline__ void epilog_columns(const EpilogArgs& e, EpilogColumns* at, Index,
                                               int col, int valid) {
#pragma unroll
  for (int j = 0; j < kCount; ++j) if (j < valid) at[j].bias = widen(e.bias[col + j]);
}
template <int kCount>
__device__ __forceinline__ void epilog(const EpilogArgs& e, const EpilogColumns* columns, const Acc* x,
                                       Index batch, const Place& at, int valid) {
  Acc y[kCount];
#pragma unroll
  for (int j = 0; j < kCount; ++j) {
    const Acc s = x[j] + columns[j].bias;
    y[j] = s < 0 ? Acc(0) : s;
  }
  put<kCount, MW_VEC_D>(e.d + batch * e.batch_d + at.offset(kLdd), y, valid);
}
""",
}

MMA = {
    "float16": (16, 16, "m16n8k16.row.col.f32.f16.f16.f32"),
    "bfloat16": (16, 16, "m16n8k16.row.col.f32.bf16.bf16.f32"),
    "tf32": (32, 8, "m16n8k8.row.col.f32.tf32.tf32.f32"),
    "float64": (64, 4, ""),
}


def text_of(name):
    body = (TEMPLATES / f"{name}.inl").read_text()
    return re.search(r'R"cuda\((.*)\)cuda"', body, re.S).group(1)


def group_of(row, vec, least):
    """Elements side by side in a lane: as wide as a load, but four lanes should not exceed the row."""
    while vec > least and 4 * vec > row:
        vec //= 2
    return max(vec, least)


def source(case, variant, epilog):
    dtype = case["dtype"]
    most = 16 // SIZE[dtype]

    def width(n):
        w = most
        while n % w:
            w //= 2
        return w

    defines = {
        "N": case["n"],
        "K": case["k"],
        "HAS_C": int(epilog == "plain"),
        "VEC_A": width(case["k"]),
        "VEC_B": width(case["n"]),
        "VEC_C": width(case["n"]),
        "VEC_D": width(case["n"]),
        "BLOCKS": 1,
        "DENSE_A": 1,
        "DENSE_C": 1,
    }
    if variant["template"] == "mma":
        mma, k, text = MMA[case.get("mma", dtype)]
        defines |= {"MMA": mma, "MMA_K": k, "MMA_TEXT": f'"{text}"'}
        defines["GROUP"] = group_of(case["k"], defines["VEC_A"], k // 4)
        defines["RUN"] = group_of(case["n"], defines["VEC_C"], 2)

        def pairs(row, run):
            return (
                1
                if row % (8 * run) == 0 and run == most
                else 2
                if row == 4 * run and run * SIZE[dtype] == 8
                else 0
            )

        defines["PAIR_A"] = pairs(case["k"], defines["GROUP"])
        defines["PAIR_C"] = pairs(case["n"], defines["RUN"])
        defines["VEC_A"] = min(defines["VEC_A"], defines["GROUP"])
        defines["VEC_C"] = defines["VEC_D"] = min(defines["VEC_C"], defines["RUN"])
        if defines["PAIR_A"] == 2:
            defines["VEC_A"] = defines["GROUP"] * 2
        if defines["PAIR_C"] == 2:
            defines["VEC_C"] = defines["VEC_D"] = defines["RUN"] * 2
    if variant["template"] == "batched":
        defines["M"] = case["m"]
    defines |= {k.upper(): v for k, v in variant.items() if k not in ("template", "grid")}
    for name in ("VEC_B", "VEC_C", "VEC_D"):
        if variant["template"] in ("lanes", "batched"):
            defines[name] = min(defines[name], defines["COLUMNS"])
    lines = "".join(f"#define MW_{k} {v}\n" for k, v in defines.items())
    return (
        lines
        + text_of("types")
        + PRELUDE[dtype]
        + EPILOGS[epilog]
        + text_of("common")
        + text_of(variant["template"])
    )


class Nvrtc:
    def __init__(self):
        names = ["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"]
        for path in sys.path:
            names += glob.glob(os.path.join(path, "nvidia/*/lib/libnvrtc.so.1*"))
        names += glob.glob("/usr/local/cuda*/lib*/libnvrtc.so.1*")
        for name in names:
            try:
                self.lib = ctypes.CDLL(name)
                return
            except OSError:
                pass
        raise SystemExit("NVRTC not found; install PyTorch with CUDA or nvidia-cuda-nvrtc")

    def compile(self, text):
        lib = self.lib
        program = ctypes.c_void_p()
        lib.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"k.cu", 0, None, None)
        options = [
            b"--gpu-architecture=sm_90",
            b"--std=c++17",
            b"--ptxas-options=-v",
            b"--fmad=false",
        ]
        status = lib.nvrtcCompileProgram(
            program, len(options), (ctypes.c_char_p * len(options))(*options)
        )
        size = ctypes.c_size_t()
        lib.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        lib.nvrtcGetProgramLog(program, log)
        if status:
            return None, log.value.decode()
        lib.nvrtcGetCUBINSize(program, ctypes.byref(size))
        cubin = ctypes.create_string_buffer(size.value)
        lib.nvrtcGetCUBIN(program, cubin)
        return cubin.raw, log.value.decode()


def build(job):
    case, variant, epilog = job
    return Nvrtc().compile(source(case, variant, epilog))


CASES = json.loads((Path(__file__).parent / "cuda_skinny_cases.json").read_text())


class Cuda:
    def __init__(self):
        import torch

        self.torch = torch
        torch.zeros(1, device="cuda")
        self.lib = ctypes.CDLL("libcuda.so.1")
        self.flush_buffer = torch.ones(1 << 26, device="cuda")

    def check(self, status, what):
        if status:
            raise RuntimeError(f"{what}: {status}")

    def kernel(self, cubin, shared):
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self.check(self.lib.cuModuleLoadData(ctypes.byref(module), cubin), "load")
        self.check(
            self.lib.cuModuleGetFunction(ctypes.byref(function), module, b"mw_kernel"), "get"
        )
        if shared > 48 << 10:
            self.check(self.lib.cuFuncSetAttribute(function, 8, shared), "shared")
        return function

    def launch(self, function, blocks, threads, shared, args):
        buffer = ctypes.create_string_buffer(args)
        pointers = (ctypes.c_void_p * 1)(ctypes.cast(buffer, ctypes.c_void_p))
        stream = ctypes.c_void_p(self.torch.cuda.current_stream().cuda_stream)
        self.check(
            self.lib.cuLaunchKernel(
                function, blocks, 1, 1, threads, 1, 1, shared, stream, pointers, None
            ),
            "launch",
        )

    def time(self, work, rounds=21):
        torch = self.torch
        times = []
        work()
        for _ in range(rounds):
            self.flush_buffer.sum()
            torch.cuda._sleep(200000)
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            work()
            end.record()
            times.append((begin, end))
        torch.cuda.synchronize()
        return statistics.median(b.elapsed_time(e) for b, e in times)


def shared_bytes(case, variant):
    size = SIZE[case["dtype"]]
    if variant["template"] == "tiles":
        depth = variant["depth"]
        pieces = -(-case["k"] // depth)
        width = variant["lanes_col"] * variant["columns"]
        tile = variant["lanes_row"] * variant["rows"]
        warps = variant["threads"] // 32
        return size * (
            pieces * depth * width + warps * variant["stages"] * tile * (depth + 16 // size)
        )
    if variant["template"] == "mma":
        most = 16 // size
        n_pad, k_pad = (
            -(-case["n"] // (4 * most)) * 4 * most,
            -(-case["k"] // (4 * most)) * 4 * most,
        )
        return size * n_pad * k_pad
    return 0


def blocks_of(case, variant):
    sms = 132
    most = sms * variant["grid"]
    if variant["template"] == "batched":
        per = variant["threads"] // variant["group"]
        return min(most, -(-case["batch"] // per))
    if variant["template"] == "lanes":
        per = variant["threads"] // variant["lanes"] * variant["rows"]
    elif variant["template"] == "tiles":
        per = variant["threads"] // 32 * variant["lanes_row"] * variant["rows"]
    else:
        per = variant["threads"] // 32 * 16 * variant["tiles"]
    return min(most, -(-case["m"] // per))


def operands(torch, case):
    dtype = getattr(torch, case["dtype"])
    batch = (case["batch"],) if "batch" in case else ()

    def make(*shape):
        return torch.randn(*batch, *shape, device="cuda", dtype=dtype)

    m, n, k = case["m"], case["n"], case["k"]
    return make(m, k), make(k, n), make(m, n), torch.randn(n, device="cuda", dtype=dtype)


def floor_ms(case, has_c):
    m, n, k, size = case["m"], case["n"], case["k"], SIZE[case["dtype"]]
    each = m * k + m * n * (1 + has_c) + (k * n if "batch" in case else 0)
    return 1e3 * case.get("batch", 1) * each * size / BANDWIDTH


def scale_bytes(dtype, value):
    code = {"float64": "d", "complex64": "ff"}.get(dtype, "f")
    return struct.pack(code, *([value, 0.0] if len(code) == 2 else [value]))


def arguments(case, variant, a, b, c, d, bias):
    batched = "batch" in case
    m, n, k = case["m"], case["n"], case["k"]
    blocks = blocks_of(case, variant)
    count = case["batch"] if batched else blocks
    strides = (m * k, k * n, m * n) if batched else (0, 0, 0)
    head = struct.pack(
        "<3Q9q", a.data_ptr(), b.data_ptr(), c.data_ptr(), m, k, n, 1, n, *strides, count
    )
    scales = scale_bytes(case["dtype"], 0.5) + scale_bytes(case["dtype"], 0.7)
    tail = struct.pack("<2Q2q", d.data_ptr(), bias.data_ptr(), n, m * n if batched else 0)
    return head + scales + tail


def rival_lines(cuda, case, a, b, c, bias, compiled):
    torch = cuda.torch
    add = torch.baddbmm if "batch" in case else torch.addmm
    forms = {
        "plain": lambda: add(c, a, b, alpha=0.5, beta=0.7),
        "relu_bias": lambda: torch.relu(add(bias, a, b, alpha=0.5)),
    }
    x, y = torch.empty_like(c), torch.empty_like(c)
    streams = {"plain": lambda: torch.add(c, x, out=y), "relu_bias": lambda: torch.relu_(x)}
    for epilog, work in forms.items():
        line = {
            "stream": cuda.time(streams[epilog]),
            "case": case["name"],
            "epilog": epilog,
            "torch": cuda.time(work),
        }
        if compiled:
            fused = torch.compile(work, mode="max-autotune-no-cudagraphs")
            line["max_autotune"] = cuda.time(fused)
        yield line


def run_case(cuda, case, built, out):
    torch = cuda.torch
    a, b, c, bias = operands(torch, case)
    wide = torch.complex128 if case["dtype"].startswith("complex") else torch.float64
    product = 0.5 * (a.to(wide) @ b.to(wide))
    rows = []
    for (variant, epilog), (cubin, log) in built:
        if cubin is None:
            print("does not compile:", variant, log[:3000])
            continue
        registers = int((re.search(r"Used (\d+) registers", log) or [0, 0])[1])
        spills = int((re.search(r"(\d+) bytes spill stores", log) or [0, 0])[1])
        want = (
            product + 0.7 * c.to(wide) if epilog == "plain" else torch.relu(product + bias.to(wide))
        )
        d = torch.full_like(c, float("nan"))
        shared = shared_bytes(case, variant)
        try:
            function = cuda.kernel(cubin, shared)
            blocks = blocks_of(case, variant)
            args = arguments(case, variant, a, b, c, d, bias)

            work = partial(cuda.launch, function, blocks, variant["threads"], shared, args)
            work()
            torch.cuda.synchronize()
            error = ((d.to(wide) - want).norm() / want.norm()).item()
            ms = cuda.time(work)
        except RuntimeError as failure:
            print("fails:", variant, failure)
            continue
        rows.append((ms, epilog, variant, registers, spills, error))
        out.append(
            {
                "case": case["name"],
                "epilog": epilog,
                "ms": ms,
                "variant": variant,
                "registers": registers,
                "spills": spills,
                "error": error,
            }
        )
    for epilog in EPILOGS:
        floor = floor_ms(case, epilog == "plain")
        mine = sorted((r for r in rows if r[1] == epilog), key=lambda r: r[0])
        for ms, _, variant, registers, spills, error in mine[:6] + mine[-1:]:
            short = " ".join(f"{k}={v}" for k, v in variant.items())
            print(
                f"{case['name']:12} {epilog:9} {ms:.4f} ms {ms / floor:5.2f}x  r{registers} s{spills} "
                f"err {error:.1e}  {short}"
            )
        wrong = [r for r in mine if not r[5] < 1e-2]
        if wrong:
            print(f"  WRONG: {len(wrong)} of {len(mine)}: {wrong[0]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--case", action="append")
    parser.add_argument("--compile-only", action="store_true")
    parser.add_argument("--first", action="store_true", help="one variant of each case")
    parser.add_argument("--rivals", action="store_true")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--json")
    options = parser.parse_args()
    names = options.case or list(CASES)
    jobs = []
    for name in names:
        case = CASES[name] | {"name": name}
        variants = case["variants"][:1] if options.first else case["variants"]
        for variant, epilog in itertools.product(variants, EPILOGS):
            if not (epilog == "relu_bias" and case["dtype"].startswith("complex")):
                jobs.append(({k: v for k, v in case.items() if k != "variants"}, variant, epilog))
    with ProcessPoolExecutor(options.workers) as pool:
        built = list(pool.map(build, jobs, chunksize=1))
    if options.compile_only:
        for (case, variant, epilog), (cubin, log) in zip(jobs, built, strict=True):
            lines = [
                text
                for text in log.splitlines()
                if "registers" in text or "spill" in text or "error" in text
            ]
            print(
                case["name"],
                epilog,
                variant,
                "ok" if cubin else "FAILS",
                "; ".join(lines) if cubin else log[:1500],
            )
        return
    cuda = Cuda()
    out = []
    print(cuda.torch.cuda.get_device_name())
    for name in names:
        mine = [(job, b) for job, b in zip(jobs, built, strict=True) if job[0]["name"] == name]
        case = mine[0][0][0]
        a, b, c, bias = operands(cuda.torch, case)
        if not case["dtype"].startswith("complex"):
            for line in rival_lines(cuda, case, a, b, c, bias, options.rivals):
                print(line)
                out.append(line)
        del a, b, c
        run_case(cuda, case, [((v, e), k) for (_, v, e), k in mine], out)
        cuda.torch.cuda.empty_cache()
    if options.json:
        Path(options.json).write_text(json.dumps(out))


if __name__ == "__main__":
    main()
