"""Lets the kernel build what its first session builds, however long it takes."""

import conftest

conftest.TIMEOUT = 900
kernel = conftest.Kernel()
ran = kernel.run("1 + 1")
kernel.stop()
assert ran.result == "2", ran.reply
