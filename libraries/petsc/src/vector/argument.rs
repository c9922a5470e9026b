//! Vectors' memory as an argument of kernels: `&a`, `&mut a`, as arrays are.

use gpurepl_extend::GpuArray;
use gpurepl_extend::kernel::{
    ArgumentList, KernelArg, Packer, PreparedArg, RustArgument, RustCall, View, ViewMut,
};

use super::{Local, LocalMut};

impl<'a> KernelArg<'a> for &'a Local {
    fn add_to(self, list: &mut ArgumentList<'a>) {
        KernelArg::add_to(&**self, list);
    }
}

impl<'a> KernelArg<'a> for &'a LocalMut {
    fn add_to(self, list: &mut ArgumentList<'a>) {
        KernelArg::add_to(&**self, list);
    }
}

impl<'a> KernelArg<'a> for &'a mut LocalMut {
    fn add_to(self, list: &mut ArgumentList<'a>) {
        KernelArg::add_to(&mut **self, list);
    }
}

impl PreparedArg for &Local {
    fn pack(self, packer: &mut Packer<'_>) {
        PreparedArg::pack(&**self, packer);
    }
}

impl PreparedArg for &LocalMut {
    fn pack(self, packer: &mut Packer<'_>) {
        PreparedArg::pack(&**self, packer);
    }
}

impl PreparedArg for &mut LocalMut {
    fn pack(self, packer: &mut Packer<'_>) {
        PreparedArg::pack(&mut **self, packer);
    }
}

/// The array is lent as the type of the parameter asks for it.
macro_rules! kernels_in_rust {
    ($(<$($generic:ident)?> $holder:ty, $array:ty, $parameter:ty, $lend:expr;)*) => {$(
        impl<'a $(, const $generic: usize)?> RustArgument<'a, $parameter> for $holder {
            fn add(self, call: &mut RustCall<'a>) {
                let lend: fn($holder) -> $array = $lend;
                <$array as RustArgument<'a, $parameter>>::add(lend(self), call);
            }
        }
    )*};
}
kernels_in_rust! {
    <> &'a Local, &'a GpuArray<f64>, &[f64], |holder| holder;
    <> &'a LocalMut, &'a GpuArray<f64>, &[f64], |holder| holder;
    <> &'a mut LocalMut, &'a mut GpuArray<f64>, &mut [f64], |holder| holder;
    <N> &'a Local, &'a GpuArray<f64>, View<'_, f64, N>, |holder| holder;
    <N> &'a LocalMut, &'a GpuArray<f64>, View<'_, f64, N>, |holder| holder;
    <N> &'a mut LocalMut, &'a mut GpuArray<f64>, ViewMut<'_, f64, N>, |holder| holder;
}
