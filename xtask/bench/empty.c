/* The floor of every start of a program: no library, no memory touched, it only ends. */
void _start(void) {
#if defined(__x86_64__)
    __asm__ volatile("mov $60, %eax\n xor %edi, %edi\n syscall");
#elif defined(__aarch64__)
    __asm__ volatile("mov x8, #93\n mov x0, #0\n svc #0");
#else
#error "no system call known for this machine"
#endif
}
