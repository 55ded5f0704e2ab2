// The colours of a canvas, which knows no custom properties: read from the page, so that they follow its scheme.

export interface Ink {
  readonly text: string
  readonly line: string
  readonly accent: string
  readonly second: string
}

const tokens = { text: '--faint', line: '--line', accent: '--accent', second: '--bad' } as const

/** As they are now for an element of the page; the system's own where colours are forced. */
export function readInk(element: HTMLElement): Ink {
  if (matchMedia('(forced-colors: active)').matches)
    return { text: 'CanvasText', line: 'GrayText', accent: 'Highlight', second: 'CanvasText' }
  const before = element.style.color
  const colorOf = (token: string) => {
    element.style.color = `var(${token})`
    return getComputedStyle(element).color
  }
  const ink = {
    text: colorOf(tokens.text),
    line: colorOf(tokens.line),
    accent: colorOf(tokens.accent),
    second: colorOf(tokens.second),
  }
  element.style.color = before
  return ink
}

/** Calls when the scheme or the contrast of the page may have changed; answers what ends that. */
export function onInkChange(change: () => void): () => void {
  const media = ['(prefers-color-scheme: dark)', '(forced-colors: active)'].map((query) => matchMedia(query))
  for (const one of media) one.addEventListener('change', change)
  const watcher = new MutationObserver(change)
  watcher.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
  return () => {
    for (const one of media) one.removeEventListener('change', change)
    watcher.disconnect()
  }
}
