// Has the browser save a file, as if its reader had pressed a link to it.

/** As long as a browser may take to begin a download. */
export const keptMs = 60_000

export function saveFile(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), keptMs)
}
