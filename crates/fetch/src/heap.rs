//! What the allocator keeps.

/// Gives memory back that was freed but that the allocator keeps for later: after a scan, more than a budget may have.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn give_back() {
    #[expect(unsafe_code, reason = "the C library's own call; the standard library has none")]
    // SAFETY: takes no pointer, and may be called at any time from any thread.
    unsafe {
        malloc_trim(0);
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "the C library's own call; the standard library has none")]
unsafe extern "C" {
    fn malloc_trim(pad: usize) -> std::ffi::c_int;
}

/// Other allocators give memory back by themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) const fn give_back() {}
