#include "lang/ptx/instruction_table.h"

#include <iterator>
#include <unordered_map>

namespace raddle::ptx {
namespace {

using kernel::Mode;
using kernel::Opcode;
using kernel::Type;

constexpr TypeSet operator|(Type a, Type b) { return set_of(a) | set_of(b); }
constexpr TypeSet operator|(TypeSet a, Type b) { return a | set_of(b); }

constexpr TypeSet kNoType = 0;
constexpr TypeSet kPred = set_of(Type::kPred);
constexpr TypeSet kB32 = set_of(Type::kB32);
constexpr TypeSet kF32 = set_of(Type::kF32);
constexpr TypeSet kF64 = set_of(Type::kF64);
constexpr TypeSet kBits = Type::kB16 | Type::kB32 | Type::kB64;
constexpr TypeSet kBits32 = Type::kB32 | Type::kB64;
constexpr TypeSet kBytes = Type::kB8 | Type::kS8 | Type::kU8;
constexpr TypeSet kSigned = Type::kS16 | Type::kS32 | Type::kS64;
constexpr TypeSet kUnsigned = Type::kU16 | Type::kU32 | Type::kU64;
constexpr TypeSet kInteger = kSigned | kUnsigned;
constexpr TypeSet kWord = Type::kS32 | Type::kU32;                             // 32 bits
constexpr TypeSet kWords = Type::kS32 | Type::kU32 | Type::kS64 | Type::kU64;  // 32 and 64 bits
constexpr TypeSet kFloat = Type::kF32 | Type::kF64;
constexpr TypeSet kHalf = Type::kF16 | Type::kF16x2 | Type::kBF16 | Type::kBF16x2;
constexpr TypeSet kData = kBytes | kBits | kInteger | kFloat | kHalf;
constexpr TypeSet kPointer = Type::kU32 | Type::kU64;

constexpr GroupSet kNone = 0;
constexpr GroupSet kSpace = set_of(Group::kSpace);
constexpr GroupSet kRounding = set_of(Group::kRounding);
constexpr GroupSet kApprox = set_of(Group::kApproximate);
constexpr GroupSet kFtz = set_of(Group::kFlushToZero);
constexpr GroupSet kSat = set_of(Group::kSaturate);
constexpr GroupSet kPart = set_of(Group::kPart);
constexpr GroupSet kHalfPart = set_of(Group::kHalf);
constexpr GroupSet kCarry = set_of(Group::kCarryOut);
constexpr GroupSet kCompare = set_of(Group::kCompare);
constexpr GroupSet kSync = set_of(Group::kSync);
constexpr GroupSet kUniform = set_of(Group::kUniform);
constexpr GroupSet kAligned = set_of(Group::kAligned);
constexpr GroupSet kVector = set_of(Group::kVector);
constexpr GroupSet kQuery = set_of(Group::kQuery);
constexpr GroupSet kBarRed = set_of(Group::kBarrierReduction);
constexpr GroupSet kFloatArithmetic = kRounding | kFtz | kSat;
constexpr GroupSet kCache = Group::kCacheOperator | Group::kCacheHint | set_of(Group::kCachePolicy);
constexpr GroupSet kAccess = kSpace | kCache | kVector | (Group::kOrder | Group::kScope);
constexpr GroupSet kSurface = Group::kGeometry | Group::kSurfaceClamp;
constexpr GroupSet kAtomics =
    kSpace | (Group::kOrder | Group::kScope) | (Group::kNoFlush | Group::kCachePolicy);
constexpr TypeSet kAtomicTypes = kBits | kWords | kFloat | kHalf;

// clang-format off
// Sorted by mnemonic where one has several rows: they must stand together.
constexpr Form kForms[] = {
    // --- data movement
    {"mov", Opcode::kMov, (kData & ~kBytes) | kPred, kNoType, "", kNone, kNone, kNone, Syntax::kMove},
    {"cvt", Opcode::kCvt, kData & ~(kBits | set_of(Type::kB8)), kData & ~(kBits | set_of(Type::kB8)), "Dek", kNone, kNone,
     kFloatArithmetic | (Group::kIntegerRounding | Group::kRelu)},
    {"cvt.rna.tf32", Opcode::kCvt, kF32, kNoType, "", kNone, kNone, kNone, Syntax::kTensorFloat},
    {"cvta", Opcode::kCvta, kPointer, kNoType, "dg", kSpace, kNone, set_of(Group::kTo)},
    {"isspacep", Opcode::kIsSpace, kNoType, kNoType, "pg", kSpace, kNone, kNone},
    {"selp", Opcode::kSelp, kData & ~kBytes, kNoType, "daaP", kNone, kNone, kNone},
    {"slct", Opcode::kSlct, kData & ~(kBytes | kHalf), Type::kS32 | Type::kF32, "daab", kNone, kNone, kFtz},
    {"prmt", Opcode::kPrmt, kB32, kNoType, "daaa", kNone, kNone, set_of(Group::kPermute)},
    {"createpolicy.fractional", Opcode::kMov, set_of(Type::kB64), kNoType, "", kNone, kNone, set_of(Group::kCacheHint), Syntax::kCachePolicy},
    // --- arithmetic
    {"add", Opcode::kAdd, kInteger, kNoType, "daa", kNone, kNone, kSat | kCarry},
    {"add", Opcode::kAdd, kFloat | kHalf, kNoType, "daa", kNone, kNone, kFloatArithmetic},
    {"addc", Opcode::kAdd, kWords, kNoType, "daa", kNone, kNone, kCarry, Syntax::kPlain, Mode::kNone, true},
    {"sub", Opcode::kSub, kInteger, kNoType, "daa", kNone, kNone, kSat | kCarry},
    {"sub", Opcode::kSub, kFloat | kHalf, kNoType, "daa", kNone, kNone, kFloatArithmetic},
    {"subc", Opcode::kSub, kWords, kNoType, "daa", kNone, kNone, kCarry, Syntax::kPlain, Mode::kNone, true},
    {"mul", Opcode::kMul, kInteger, kNoType, "daa", kPart, kNone, kNone},
    {"mul", Opcode::kMul, kFloat | kHalf, kNoType, "daa", kNone, kNone, kFloatArithmetic},
    {"mad", Opcode::kMad, kInteger, kNoType, "daac", kPart, kNone, kSat | kCarry},
    {"mad", Opcode::kFma, kFloat, kNoType, "daaa", kNone, kNone, kFloatArithmetic},
    {"madc", Opcode::kMad, kWords, kNoType, "daac", kHalfPart, kNone, kCarry, Syntax::kPlain, Mode::kNone, true},
    {"fma", Opcode::kFma, kFloat | kHalf, kNoType, "daaa", kRounding, kNone, kFtz | kSat | set_of(Group::kRelu)},
    {"mul24", Opcode::kMul24, kWord, kNoType, "daa", kHalfPart, kNone, kNone},
    {"mad24", Opcode::kMad24, kWord, kNoType, "daaa", kHalfPart, kNone, kSat},
    {"sad", Opcode::kSad, kInteger, kNoType, "daaa", kNone, kNone, kNone},
    {"div", Opcode::kDiv, kInteger, kNoType, "daa", kNone, kNone, kNone},
    {"div", Opcode::kDiv, kF32, kNoType, "daa", kNone, kRounding | kApprox | set_of(Group::kFullRange), kFtz},
    {"div", Opcode::kDiv, kF64, kNoType, "daa", kRounding, kNone, kNone},
    {"rem", Opcode::kRem, kInteger, kNoType, "daa", kNone, kNone, kNone},
    {"abs", Opcode::kAbs, kSigned, kNoType, "da", kNone, kNone, kNone},
    {"abs", Opcode::kAbs, kFloat | kHalf, kNoType, "da", kNone, kNone, kFtz},
    {"neg", Opcode::kNeg, kSigned, kNoType, "da", kNone, kNone, kNone},
    {"neg", Opcode::kNeg, kFloat | kHalf, kNoType, "da", kNone, kNone, kFtz},
    {"min", Opcode::kMin, kInteger, kNoType, "daa", kNone, kNone, kNone},
    {"min", Opcode::kMin, kFloat | kHalf, kNoType, "daa", kNone, kNone, kFtz | set_of(Group::kNan)},
    {"max", Opcode::kMax, kInteger, kNoType, "daa", kNone, kNone, kNone},
    {"max", Opcode::kMax, kFloat | kHalf, kNoType, "daa", kNone, kNone, kFtz | set_of(Group::kNan)},
    {"add.s16x2", Opcode::kAdd, kNoType, kNoType, "", kNone, kNone, kNone, Syntax::kHalves},
    {"add.u16x2", Opcode::kAdd, kNoType, kNoType, "", kNone, kNone, kNone, Syntax::kHalves},
    {"min.s16x2", Opcode::kMin, kNoType, kNoType, "", kNone, kNone, kNone, Syntax::kHalves},
    {"min.u16x2", Opcode::kMin, kNoType, kNoType, "", kNone, kNone, kNone, Syntax::kHalves},
    {"max.s16x2", Opcode::kMax, kNoType, kNoType, "", kNone, kNone, kNone, Syntax::kHalves},
    {"max.u16x2", Opcode::kMax, kNoType, kNoType, "", kNone, kNone, kNone, Syntax::kHalves},
    {"dp4a", Opcode::kDp4a, kWord, kWord, "wuuu", kNone, kNone, kNone},
    {"dp2a", Opcode::kDp2a, kWord, kWord, "wuuu", set_of(Group::kByteHalf), kNone, kNone},
    {"rcp", Opcode::kRcp, kFloat, kNoType, "da", kNone, kRounding | kApprox, kFtz},
    {"sqrt", Opcode::kSqrt, kFloat, kNoType, "da", kNone, kRounding | kApprox, kFtz},
    {"rsqrt", Opcode::kRsqrt, kFloat, kNoType, "da", kApprox, kNone, kFtz},
    {"sin", Opcode::kSin, kF32, kNoType, "da", kApprox, kNone, kFtz},
    {"cos", Opcode::kCos, kF32, kNoType, "da", kApprox, kNone, kFtz},
    {"lg2", Opcode::kLg2, kF32, kNoType, "da", kApprox, kNone, kFtz},
    {"ex2", Opcode::kEx2, kF32 | kHalf, kNoType, "da", kApprox, kNone, kFtz},
    {"tanh", Opcode::kTanh, kF32 | kHalf, kNoType, "da", kApprox, kNone, kNone},
    {"testp", Opcode::kTestp, kFloat, kNoType, "pa", set_of(Group::kTestKind), kNone, kNone},
    {"copysign", Opcode::kCopysign, kFloat, kNoType, "daa", kNone, kNone, kNone},
    // --- comparison and logic
    {"set", Opcode::kSet, kInteger | kF32 | kHalf, kData & ~kBytes, "dbbC", kCompare, kNone, Group::kCombine | Group::kFlushToZero},
    {"setp", Opcode::kSetp, kData & ~kBytes, kNoType, "qaaC", kCompare, kNone, Group::kCombine | Group::kFlushToZero},
    {"and", Opcode::kAnd, kBits | kPred, kNoType, "daa", kNone, kNone, kNone},
    {"or", Opcode::kOr, kBits | kPred, kNoType, "daa", kNone, kNone, kNone},
    {"xor", Opcode::kXor, kBits | kPred, kNoType, "daa", kNone, kNone, kNone},
    {"not", Opcode::kNot, kBits | kPred, kNoType, "da", kNone, kNone, kNone},
    {"cnot", Opcode::kCnot, kBits, kNoType, "da", kNone, kNone, kNone},
    {"lop3", Opcode::kLop3, kB32, kNoType, "daaaK", kNone, kNone, kNone},
    {"shl", Opcode::kShl, kBits, kNoType, "dau", kNone, kNone, kNone},
    {"shr", Opcode::kShr, kBits | kInteger, kNoType, "dau", kNone, kNone, kNone},
    {"shf", Opcode::kShf, kB32, kNoType, "daau", Group::kFunnelDirection | Group::kClampOrWrap, kNone, kNone},
    {"popc", Opcode::kPopc, kBits32, kNoType, "wa", kNone, kNone, kNone},
    {"clz", Opcode::kClz, kBits32, kNoType, "wa", kNone, kNone, kNone},
    {"bfind", Opcode::kBfind, kWords, kNoType, "wa", kNone, kNone, set_of(Group::kShiftAmount)},
    {"fns", Opcode::kFns, kB32, kNoType, "wuuu", kNone, kNone, kNone},
    {"brev", Opcode::kBrev, kBits32, kNoType, "da", kNone, kNone, kNone},
    {"bfe", Opcode::kBfe, kWords, kNoType, "dauu", kNone, kNone, kNone},
    {"bfi", Opcode::kBfi, kBits32, kNoType, "daauu", kNone, kNone, kNone},
    {"bmsk", Opcode::kBmsk, kB32, kNoType, "wuu", set_of(Group::kClampOrWrap), kNone, kNone},
    {"szext", Opcode::kSzext, kWord, kNoType, "dau", set_of(Group::kClampOrWrap), kNone, kNone},
    // --- memory
    {"ld", Opcode::kLd, kData, kNoType, "vA", kNone, kNone, kAccess | set_of(Group::kNonCoherent)},
    {"ldu", Opcode::kLd, kData, kNoType, "vA", kNone, kNone, kSpace | kVector},
    {"st", Opcode::kSt, kData, kNoType, "AV", kNone, kNone, kAccess},
    {"atom", Opcode::kAtom, kAtomicTypes, kNoType, "dAas", set_of(Group::kAtomic), kNone, kAtomics},
    {"red", Opcode::kAtom, kAtomicTypes, kNoType, "Aa", set_of(Group::kAtomic), kNone, kAtomics},
    {"prefetch", Opcode::kPrefetch, kNoType, kNoType, "A", kNone, Group::kCacheLevel | Group::kCacheHint, kSpace},
    {"prefetchu", Opcode::kPrefetch, kNoType, kNoType, "A", set_of(Group::kCacheLevel), kNone, kNone},
    {"membar", Opcode::kFence, kNoType, kNoType, "", set_of(Group::kFenceLevel), kNone, kNone},
    {"fence", Opcode::kFence, kNoType, kNoType, "", set_of(Group::kScope), kNone, set_of(Group::kOrder)},
    {"cp.async", Opcode::kCpAsync, kNoType, kNoType, "AAK?u", kSpace, kNone, kCache, Syntax::kAsyncCopy},
    {"cp.async.commit_group", Opcode::kCpAsyncWait, kNoType, kNoType, "", kNone, kNone, kNone, Syntax::kNothing},
    {"cp.async.wait_group", Opcode::kCpAsyncWait, kNoType, kNoType, "K", kNone, kNone, kNone, Syntax::kPlain, Mode::kCopyGroup},
    {"cp.async.wait_all", Opcode::kCpAsyncWait, kNoType, kNoType, "", kNone, kNone, kNone, Syntax::kPlain, Mode::kCopyAll},
    {"ldmatrix", Opcode::kLdMatrix, kNoType, kNoType, "", kNone, kNone, kNone, Syntax::kMatrixAccess},
    {"stmatrix", Opcode::kStMatrix, kNoType, kNoType, "", kNone, kNone, kNone, Syntax::kMatrixAccess},
    {"cp.async.mbarrier", Opcode::kAtom, kNoType, kNoType, "", kNone, kNone, kNone, Syntax::kMemoryBarrier},
    {"mbarrier.init", Opcode::kSt, kNoType, kNoType, "", kNone, kNone, kNone, Syntax::kMemoryBarrier},
    {"mbarrier.inval", Opcode::kSt, kNoType, kNoType, "", kNone, kNone, kNone, Syntax::kMemoryBarrier},
    {"mbarrier.arrive", Opcode::kAtom, kNoType, kNoType, "", kNone, kNone, kNone, Syntax::kMemoryBarrier},
    {"mbarrier.arrive_drop", Opcode::kAtom, kNoType, kNoType, "", kNone, kNone, kNone, Syntax::kMemoryBarrier},
    {"mbarrier.expect_tx", Opcode::kAtom, kNoType, kNoType, "", kNone, kNone, kNone, Syntax::kMemoryBarrier},
    {"mbarrier.complete_tx", Opcode::kAtom, kNoType, kNoType, "", kNone, kNone, kNone, Syntax::kMemoryBarrier},
    {"mbarrier.test_wait", Opcode::kLd, kNoType, kNoType, "", kNone, kNone, kNone, Syntax::kMemoryBarrier},
    {"mbarrier.try_wait", Opcode::kLd, kNoType, kNoType, "", kNone, kNone, kNone, Syntax::kMemoryBarrier},
    {"mbarrier.pending_count", Opcode::kAnd, kNoType, kNoType, "", kNone, kNone, kNone, Syntax::kMemoryBarrier},
    {"fence.mbarrier_init", Opcode::kFence, kNoType, kNoType, "", kNone, kNone, kNone, Syntax::kNothing},
    {"applypriority", Opcode::kPrefetch, kNoType, kNoType, "AK", kNone, kNone, kSpace | set_of(Group::kCacheHint), Syntax::kNothing},
    // --- textures and surfaces
    {"tex", Opcode::kTex, kWord | kF32, Type::kS32 | Type::kF32, "", Group::kGeometry | Group::kVector, kNone, set_of(Group::kLevel), Syntax::kTexture},
    {"tld4", Opcode::kTld4, kWord | kF32, kF32, "", Group::kGather | Group::kPlane | Group::kVector, kNone, kNone, Syntax::kTexture},
    {"txq", Opcode::kTxq, kB32, kNoType, "", kQuery, kNone, kNone, Syntax::kTextureQuery},
    {"suq", Opcode::kTxq, kB32, kNoType, "", kQuery, kNone, kNone, Syntax::kTextureQuery},
    {"suld.b", Opcode::kSuld, kBits | set_of(Type::kB8), kNoType, "", kSurface, kNone, Group::kVector | Group::kCacheOperator, Syntax::kTexture},
    {"sust.b", Opcode::kSust, kBits | set_of(Type::kB8), kNoType, "", kSurface, kNone, Group::kVector | Group::kCacheOperator, Syntax::kSurfaceStore},
    // --- between the lanes of a warp
    {"shfl", Opcode::kShfl, kB32, kNoType, "rauum", set_of(Group::kShuffle), kNone, kSync},
    {"vote", Opcode::kVote, kB32 | kPred, kNoType, "dPm", set_of(Group::kVote), kNone, kSync},
    {"match", Opcode::kMatch, kBits32, kNoType, "xam", Group::kMatch | Group::kSync, kNone, kNone},
    {"redux", Opcode::kRedux, kWord | kB32, kNoType, "dam", Group::kReduction | Group::kSync, kNone, kNone},
    {"mma", Opcode::kMma, kNoType, kNoType, "", kNone, kNone, kNone, Syntax::kMma},
    {"movmatrix", Opcode::kMovMatrix, kNoType, kNoType, "", kNone, kNone, kNone, Syntax::kMatrixMove},
    {"activemask", Opcode::kActiveMask, kB32, kNoType, "w", kNone, kNone, kNone},
    {"bar.warp.sync", Opcode::kWarpSync, kNoType, kNoType, "u", kNone, kNone, kNone},
    // --- barriers of a block
    {"bar.sync", Opcode::kBar, kNoType, kNoType, "u?u", kNone, kNone, kNone, Syntax::kPlain, Mode::kBarrierSync},
    {"bar.arrive", Opcode::kBar, kNoType, kNoType, "uu", kNone, kNone, kNone, Syntax::kPlain, Mode::kBarrierArrive},
    {"bar.red", Opcode::kBar, set_of(Type::kU32) | kPred, kNoType, "du?uP", kBarRed, kNone, kNone},
    {"bar.cta.sync", Opcode::kBar, kNoType, kNoType, "u?u", kNone, kNone, kNone, Syntax::kPlain, Mode::kBarrierSync},
    {"bar.cta.arrive", Opcode::kBar, kNoType, kNoType, "uu", kNone, kNone, kNone, Syntax::kPlain, Mode::kBarrierArrive},
    {"bar.cta.red", Opcode::kBar, set_of(Type::kU32) | kPred, kNoType, "du?uP", kBarRed, kNone, kNone},
    {"barrier.sync", Opcode::kBar, kNoType, kNoType, "u?u", kNone, kNone, kAligned, Syntax::kPlain, Mode::kBarrierSync},
    {"barrier.arrive", Opcode::kBar, kNoType, kNoType, "uu", kNone, kNone, kAligned, Syntax::kPlain, Mode::kBarrierArrive},
    {"barrier.red", Opcode::kBar, set_of(Type::kU32) | kPred, kNoType, "du?uP", kBarRed, kNone, kAligned},
    {"barrier.cta.sync", Opcode::kBar, kNoType, kNoType, "u?u", kNone, kNone, kAligned, Syntax::kPlain, Mode::kBarrierSync},
    {"barrier.cta.arrive", Opcode::kBar, kNoType, kNoType, "uu", kNone, kNone, kAligned, Syntax::kPlain, Mode::kBarrierArrive},
    {"barrier.cta.red", Opcode::kBar, set_of(Type::kU32) | kPred, kNoType, "du?uP", kBarRed, kNone, kAligned},
    // --- control
    {"bra", Opcode::kBra, kNoType, kNoType, "", kNone, kNone, kUniform, Syntax::kBranch},
    {"brx.idx", Opcode::kBrx, kNoType, kNoType, "", kNone, kNone, kUniform, Syntax::kIndexedBranch},
    {"call", Opcode::kCall, kNoType, kNoType, "", kNone, kNone, kUniform, Syntax::kCall},
    {"ret", Opcode::kRet, kNoType, kNoType, "", kNone, kNone, kUniform, Syntax::kReturn},
    {"exit", Opcode::kExit, kNoType, kNoType, "", kNone, kNone, kNone},
    {"trap", Opcode::kTrap, kNoType, kNoType, "", kNone, kNone, kNone},
    {"brkpt", Opcode::kBrkpt, kNoType, kNoType, "", kNone, kNone, kNone},
    {"nanosleep", Opcode::kNanosleep, set_of(Type::kU32), kNoType, "u", kNone, kNone, kNone},
    {"pmevent", Opcode::kBrkpt, kNoType, kNoType, "K", kNone, kNone, kNone, Syntax::kNothing},
    {"pmevent.mask", Opcode::kBrkpt, kNoType, kNoType, "K", kNone, kNone, kNone, Syntax::kNothing},
};
// clang-format on

struct Unsupported {
  std::string_view name;
  std::string_view reason;
};
constexpr std::string_view kMatrix = "matrix units";
constexpr std::string_view kCluster = "thread-block clusters";
constexpr std::string_view kBulk = "bulk asynchronous copies";
constexpr std::string_view kVideo = "video instructions";
constexpr std::string_view kStack = "stack allocation";
constexpr Unsupported kUnsupported[] = {
    {"wmma", kMatrix},
    {"wgmma", kMatrix},
    {"tcgen05", kMatrix},
    {"barrier.cluster", kCluster},
    {"mapa", kCluster},
    {"getctarank", kCluster},
    {"clusterlaunchcontrol", kCluster},
    {"mbarrier", "barriers in shared memory"},
    {"cp.async.bulk", kBulk},
    {"cp.reduce", kBulk},
    {"cp.bulk", kBulk},
    {"tensormap", kBulk},
    {"fence.proxy", "memory proxies"},
    {"griddepcontrol", "programmatic dependent launch"},
    {"setmaxnreg", "register reallocation"},
    {"elect", "warp leader election"},
    {"multimem", "multicast memory"},
    {"createpolicy", "cache policies of address ranges"},
    {"discard", "discarding cache lines"},
    {"cvt.pack", "packing conversions"},
    {"sust.p", "formatted surface stores"},
    {"suld.p", "formatted surface loads"},
    {"sured", "surface reductions"},
    {"istypep", "queries of opaque types"},
    {"alloca", kStack},
    {"stacksave", kStack},
    {"stackrestore", kStack},
    {"vadd", kVideo},
    {"vsub", kVideo},
    {"vabsdiff", kVideo},
    {"vmin", kVideo},
    {"vmax", kVideo},
    {"vshl", kVideo},
    {"vshr", kVideo},
    {"vmad", kVideo},
    {"vset", kVideo},
    {"vadd2", kVideo},
    {"vsub2", kVideo},
    {"vavrg2", kVideo},
    {"vabsdiff2", kVideo},
    {"vmin2", kVideo},
    {"vmax2", kVideo},
    {"vset2", kVideo},
    {"vadd4", kVideo},
    {"vsub4", kVideo},
    {"vavrg4", kVideo},
    {"vabsdiff4", kVideo},
    {"vmin4", kVideo},
    {"vmax4", kVideo},
    {"vset4", kVideo},
};

using FormMap = std::unordered_map<std::string_view, std::span<const Form>>;

const FormMap& form_map() {
  static const FormMap map = [] {
    FormMap result;
    const Form* end = std::end(kForms);
    for (const Form* first = std::begin(kForms); first != end;) {
      const Form* last = first;
      while (last != end && last->mnemonic == first->mnemonic) ++last;
      result.emplace(first->mnemonic, std::span<const Form>(first, last));
      first = last;
    }
    return result;
  }();
  return map;
}

}  // namespace

std::span<const Form> find_forms(std::string_view mnemonic) {
  const auto found = form_map().find(mnemonic);
  if (found == form_map().end()) return {};
  return found->second;
}

std::vector<std::string> all_mnemonics() {
  std::vector<std::string> names;
  for (const Form& form : kForms) {
    if (names.empty() || names.back() != form.mnemonic) names.emplace_back(form.mnemonic);
  }
  return names;
}

std::optional<std::string_view> unsupported_instruction(std::string_view name) {
  static const std::unordered_map<std::string_view, std::string_view> reasons = [] {
    std::unordered_map<std::string_view, std::string_view> result;
    for (const Unsupported& row : kUnsupported) result.emplace(row.name, row.reason);
    return result;
  }();
  const auto found = reasons.find(name);
  if (found == reasons.end()) return std::nullopt;
  return found->second;
}

}  // namespace raddle::ptx
