/** Words of CUDA C++ for colours. */

/** Keywords of C++20 (ISO/IEC 14882:2020, table 5 of [lex.key], and the alternative tokens of table 6). */
export const cppKeywords: readonly string[] =
  "alignas alignof asm auto bool break case catch char char8_t char16_t char32_t class concept const consteval constexpr constinit const_cast continue co_await co_return co_yield decltype default delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable namespace new noexcept nullptr operator private protected public register reinterpret_cast requires return short signed sizeof static static_assert static_cast struct switch template this thread_local throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t while and and_eq bitand bitor compl not not_eq or or_eq xor xor_eq".split(
    " ",
  );

/** Built-in variables (CUDA C++ Programming Guide, "Built-in Variables"; nvcc's device_launch_parameters.h declares them). */
const variables: readonly string[] = ["threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"];
/** Elements of vector types (the same guide, "Built-in Vector Types"; nvcc's vector_types.h): `float4`, `uchar2`. */
const elements: readonly string[] = "char uchar short ushort int uint long ulong longlong ulonglong float double".split(
  " ",
);

/** Names that the CUDA compiler knows without a header. Names with two underscores on both sides are its own, too. */
export const cudaBuiltins: readonly string[] = [
  ...variables,
  ...elements.flatMap((e) => [1, 2, 3, 4].map((n) => `${e}${n}`)),
  "dim3",
];
