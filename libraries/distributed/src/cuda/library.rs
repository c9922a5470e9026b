//! NCCL, by declarations of our own of the functions that are used (`nccl.h`, the same from 2.7 on).

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::OnceLock;

use gpurepl_extend::{Result, Vendor, VendorLibrary, error};

const NCCL: Vendor = Vendor {
    name: "NCCL",
    files: &["libnccl.so.2"],
    package: "`pip install nvidia-nccl-cu13`",
    switch: "GPUREPL_NCCL",
};

/// The first version that is known to have everything: grouped sends to oneself among it.
const OLDEST: u64 = 21_003;

/// Bytes of `ncclUniqueId`.
pub(super) const ID: usize = 128;

/// `ncclUniqueId`, which is passed by value.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct UniqueId {
    pub bytes: [c_char; ID],
}

/// `ncclComm_t`.
pub(super) type RawCommunicator = *mut c_void;
type Buffer = *mut c_void;
type Input = *const c_void;
type Stream = *mut c_void;

type GetVersion = unsafe extern "C" fn(*mut c_int) -> c_int;
type GetUniqueId = unsafe extern "C" fn(*mut UniqueId) -> c_int;
type CommInitRank = unsafe extern "C" fn(*mut RawCommunicator, c_int, UniqueId, c_int) -> c_int;
type CommAbort = unsafe extern "C" fn(RawCommunicator) -> c_int;
type GetErrorString = unsafe extern "C" fn(c_int) -> *const c_char;
type Group = unsafe extern "C" fn() -> c_int;
type AllReduce = unsafe extern "C" fn(Input, Buffer, usize, c_int, c_int, RawCommunicator, Stream) -> c_int;
type Reduce =
    unsafe extern "C" fn(Input, Buffer, usize, c_int, c_int, c_int, RawCommunicator, Stream) -> c_int;
type Broadcast = unsafe extern "C" fn(Input, Buffer, usize, c_int, c_int, RawCommunicator, Stream) -> c_int;
type AllGather = unsafe extern "C" fn(Input, Buffer, usize, c_int, RawCommunicator, Stream) -> c_int;
type Send = unsafe extern "C" fn(Input, usize, c_int, c_int, RawCommunicator, Stream) -> c_int;
type Recv = unsafe extern "C" fn(Buffer, usize, c_int, c_int, RawCommunicator, Stream) -> c_int;

/// The functions that are used.
pub(super) struct Nccl {
    pub version: u64,
    pub get_unique_id: GetUniqueId,
    pub init_rank: CommInitRank,
    pub abort: CommAbort,
    get_error_string: GetErrorString,
    pub group_start: Group,
    pub group_end: Group,
    pub all_reduce: AllReduce,
    pub reduce: Reduce,
    pub broadcast: Broadcast,
    pub all_gather: AllGather,
    pub reduce_scatter: AllReduce,
    pub send: Send,
    pub recv: Recv,
    /// Not dropped: the functions above are its code.
    _library: VendorLibrary,
}

/// The library; why there is none. It is looked for once, since every call asks for it.
pub(super) fn nccl() -> Result<&'static Nccl> {
    static FOUND: OnceLock<Result<Nccl>> = OnceLock::new();
    FOUND.get_or_init(Nccl::load).as_ref().map_err(Clone::clone)
}

impl Nccl {
    fn load() -> Result<Nccl> {
        let library = NCCL.load()?;
        let mut version = 0;
        // SAFETY: the type is that of `nccl.h`; the pointer is to a place for a number.
        let status = unsafe { library.function::<GetVersion>("ncclGetVersion")?(&raw mut version) };
        let version = if status == 0 { u64::try_from(version).unwrap_or(0) } else { 0 };
        if version < OLDEST {
            let what = format!("NCCL {version} is older than 2.10");
            return Err(error::missing(what, format!("install a later one: {}", NCCL.package)));
        }
        // SAFETY: the types are those of `nccl.h` of all versions from the oldest on; the library is kept beside the
        // functions, in a static.
        unsafe {
            Ok(Nccl {
                version,
                get_unique_id: library.function("ncclGetUniqueId")?,
                init_rank: library.function("ncclCommInitRank")?,
                abort: library.function("ncclCommAbort")?,
                get_error_string: library.function("ncclGetErrorString")?,
                group_start: library.function("ncclGroupStart")?,
                group_end: library.function("ncclGroupEnd")?,
                all_reduce: library.function("ncclAllReduce")?,
                reduce: library.function("ncclReduce")?,
                broadcast: library.function("ncclBroadcast")?,
                all_gather: library.function("ncclAllGather")?,
                reduce_scatter: library.function("ncclReduceScatter")?,
                send: library.function("ncclSend")?,
                recv: library.function("ncclRecv")?,
                _library: library,
            })
        }
    }

    /// `ncclResult_t`: what went wrong.
    pub(super) fn check(&self, name: &'static str, what: &str, status: c_int) -> Result<()> {
        if status == 0 {
            return Ok(());
        }
        // SAFETY: the function returns a text of its own for every number, which stays.
        let words = unsafe { CStr::from_ptr((self.get_error_string)(status)) };
        let words = words.to_string_lossy();
        let message = format!(
            "NCCL could not {what}: {words} (status {status}); NCCL_DEBUG=WARN has it say more, and GPUREPL_NCCL=off \
             passes arrays by way of the host's memory"
        );
        Err(error::device(name, message))
    }
}
