"""Records the switches of torch: grad mode, compilation, memory, devices and generators. Kept by hand."""

from __future__ import annotations

NO_GRAD = "torch.no_grad"
ENABLE_GRAD = "torch.enable_grad"
INFERENCE_MODE = "torch.inference_mode"
SET_GRAD_ENABLED = "torch.set_grad_enabled"

GRAD_MODES = frozenset([NO_GRAD, ENABLE_GRAD, INFERENCE_MODE])
"""Context managers and decorators that set the grad mode; `set_grad_enabled` sets it where it is called, too."""

ENTERING = frozenset(["__enter__", "enter_context"])
"""Methods that enter a context manager for the rest of the function: that of the object, or those of the arguments."""

BELOW_AUTOGRAD = ("torch.library.custom_op", "torch.library.register_fake", "torch.library.register_kernel")
"""Decorators of functions that torch calls without recording: what they compute gets its gradient elsewhere."""

SWITCHING_OFF = ("no_grad", "inference_mode", "set_grad_enabled")
"""The last parts of the names of grad modes that can turn recording off."""

COMPILING = frozenset(
    ["torch.jit.script", "torch.jit.script_if_tracing", "torch.jit.export", "torch.jit.script_method"]
)
"""Decorators whose function TorchScript compiles."""

NOT_COMPILING = frozenset(["torch.jit.ignore", "torch.jit.unused"])
"""Decorators whose function TorchScript leaves to Python."""

OTHER_COMPILERS = frozenset(["numba", "taichi", "triton", "warp"])
"""Packages whose decorators compile a function that works on no tensors of torch: `@triton.jit`."""

OF_ARRAYS = ("cupy", "cv2", "jax", "numpy", "pandas", "scipy", "skimage", "sklearn", "tensorflow")
"""Packages whose arrays look like tensors in source code."""

SCRIPT_MODULE = "torch.jit.ScriptModule"

FUNCTION = "torch.autograd.Function"
FUNCTION_CONTEXT = "torch.autograd.function.FunctionCtx"
OF_FUNCTIONS = frozenset(["backward", "forward", "jvp", "setup_context", "vjp"])
"""The methods of a custom autograd function whose first argument is its context."""

ASKING = {
    "torch.is_grad_enabled": True,
    "torch.is_inference_mode_enabled": False,
}
"""Functions that tell whether autograd records, with what they return where it does."""

KEEPING_FUNCTIONS = GRAD_MODES | {"torch.jit.script", "torch.compile"}
"""Decorators that don't change the effect of a function, except for the grad mode in it."""

KEEPING_METHODS = GRAD_MODES | {"torch.jit.export", "torch.jit.ignore"}
"""Decorators that don't change the values that a method stores."""

LIMITS = frozenset(["torch.finfo", "torch.iinfo"])
"""Classes of objects whose attributes are numbers: `torch.finfo(x.dtype).eps`."""

CONTEXTS = GRAD_MODES | {
    *LIMITS,
    *(SET_GRAD_ENABLED, "torch.autocast", "torch.manual_seed", "torch.device", "torch.Generator"),
    *("torch.set_default_dtype", "torch.Size"),
}
"""Functions and classes that neither take nor make tensors."""

ENVIRONMENT = frozenset(
    [
        *("torch.jit.is_scripting", "torch.jit.is_tracing", "torch.onnx.is_in_onnx_export"),
        *("torch.compiler.is_compiling", "torch.compiler.is_dynamo_compiling", "torch.compiler.is_exporting"),
        *("torch.cuda.is_available", "torch.cuda.device_count", "torch.cuda.is_current_stream_capturing"),
        *("torch.distributed.is_available", "torch.distributed.is_initialized"),
    ]
)
"""Functions that tell, as a Python number, how and where the code runs."""

OBJECTS = ("torch.optim.", "torch.utils.data.")
"""Prefixes of the names of classes whose objects may hold tensors, but aren't tensors."""

NUMBERS = frozenset(
    [
        *("torch.inf", "torch.nan", "torch.pi", "torch.e"),
        *("math.inf", "math.nan", "math.pi", "math.e", "math.tau"),
        *("numpy.inf", "numpy.nan", "numpy.pi", "numpy.e", "numpy.euler_gamma"),
    ]
)
"""Constants, Python numbers all of them."""

DTYPES = frozenset(
    [
        *("float16", "float32", "float64", "bfloat16", "half", "float", "double", "int8", "int16", "int32", "int64"),
        *("uint8", "short", "int", "long", "bool", "complex64", "complex128", "cfloat", "cdouble", "strided"),
        *("channels_last", "contiguous_format", "preserve_format"),
    ]
)
"""Attributes of torch, and of NumPy, that are dtypes, layouts and memory formats."""

USUAL_FORMATS = frozenset(["contiguous_format", "preserve_format"])
"""Memory formats that leave the layout as it usually is."""

OWN_STRIDES = frozenset(["empty_strided", "new_empty_strided", "empty_permuted"])
"""Constructors that take strides as an argument."""

FORMATTED = ("as_strided",)
PINNING = ("pin_memory",)
SHARING = ("share_memory_", "from_file", "_new_shared")
"""Functions and methods that put a tensor in shared or mapped memory."""

OVER_STORAGE = frozenset(["new"])
"""Methods that make a tensor over a storage that they may be given: `x.new(storage)`."""

CANONICAL = {
    "torch.nn.parameter.Parameter": "torch.nn.Parameter",
    "torch.nn.modules.module.Module": "torch.nn.Module",
    **{
        f"{package}.{name}": f"torch.{name}"
        for package in ("torch.autograd", "torch.autograd.grad_mode")
        for name in ("no_grad", "enable_grad", "set_grad_enabled", "inference_mode")
    },
    "torch.autograd.function.Function": "torch.autograd.Function",
}
"""Qualified names of torch with another, canonical name, which is the only one that the table knows."""

KIND_TESTS = frozenset(["numpy.isscalar", "torch.is_storage", "torch.is_tensor"])
"""Functions that test of which kind their argument is."""

ASKING_FOR_GRADIENTS = ("grad", "backward", "optim")
"""What a file names that works with the gradients of leaves."""

GRADIENTS = frozenset(["torch.autograd.grad", "torch.autograd.backward"])
"""Functions that compute gradients."""

INTERCEPTING = ("torch.overrides.TorchFunctionMode", "torch.utils._python_dispatch.TorchDispatchMode")
"""Modes within which each operation is handed to a method of the mode."""

HOOKS = ("__torch_function__", "__torch_dispatch__")
"""Methods to which torch hands operations on objects of their class, or within their mode."""

SAVED_HOOKS = "saved_tensors_hooks"
"""The context manager that hands what autograd saves to a function."""
