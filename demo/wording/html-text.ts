// Texts of the book as HTML: always text, never markup. Characters that change the order of a line are shown by their code.

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

// oxlint-disable-next-line no-control-regex -- they are not text.
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g
const orders = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Safe between tags and in quoted attributes. */
export function htmlText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(controls, '\uFFFD')
    .replaceAll(
      orders,
      (sign) => `[U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`,
    )
    .replaceAll(/[&<>"']/g, (sign) => entities[sign] ?? '')
}
