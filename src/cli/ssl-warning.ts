/**
 * Keeps pg's warning about what `sslmode` will mean in its next major version off stderr: nine lines for who wrote the program, none of
 * them the answer. Other warnings are printed as before.
 */
export const withoutSslWarning = (): void => {
  const printers = process.listeners('warning')
  process.removeAllListeners('warning')
  process.on('warning', (warning) => {
    if (warning.message.startsWith('SECURITY WARNING: The SSL modes')) return
    for (const print of printers) print(warning)
  })
}
