//! The first instructions, and where exceptions come.

use core::arch::global_asm;

// The vectors are at the start of memory: exceptions come to its first word, the processor begins 0x80 behind it.
// Interrupts are never taken: they only wake a processor that sleeps.
global_asm!(
    r#"
    .section .vectors, "ax"
    .globl begin
    .option push
    .option norvc
    j exception
    .option pop
    .org 0x80
begin:
    .option push
    .option norelax
    la sp, stack_end
    .option pop
    la t0, bss_start
    la t1, bss_end
1:
    bgeu t0, t1, 2f
    sw zero, 0(t0)
    addi t0, t0, 4
    j 1b
2:
    li t0, 1 << 11
    csrw mie, t0
    csrw mcountinhibit, zero
    call run
exception:
    csrr a0, mcause
    csrr a1, mepc
    csrr a2, mtval
    call except
"#
);
