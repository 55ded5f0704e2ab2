// Saves a file through the browser, like a press on a download link.

/** As long as a browser may take to begin a download. */
export const releaseMs = 60_000

export function saveFile(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), releaseMs)
}
