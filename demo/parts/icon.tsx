// The icons of the inspector: 16 × 16, one stroke, the colour of the text around them. Always beside a word or a label.
const shapes = {
  traces: 'M2.5 4h11M2.5 8h11M2.5 12h7',
  recall: 'M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9ZM10.5 10.5l3 3M5.5 7h3M7 5.5v3',
  sync: 'M13 6.5A5.2 5.2 0 0 0 3.6 5M3 9.5A5.2 5.2 0 0 0 12.4 11M3 2.5V5h2.5M13 13.5V11h-2.5',
  storage:
    'M2.5 4.5C2.5 3.4 5 2.5 8 2.5s5.5.9 5.5 2-2.5 2-5.5 2-5.5-.9-5.5-2Zm0 0v7c0 1.1 2.5 2 5.5 2s5.5-.9 5.5-2v-7M2.5 8c0 1.1 2.5 2 5.5 2s5.5-.9 5.5-2',
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9ZM10.5 10.5l3 3',
  filter: 'M2.5 4h11M4.5 8h7M6.5 12h3',
  close: 'M4 4l8 8M12 4l-8 8',
  plus: 'M8 3v10M3 8h10',
  import: 'M8 2.5v7M5 7l3 3 3-3M2.5 11v2.5h11V11',
  copy: 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z',
  done: 'M3 8.5l3.5 3.5L13 4.5',
  back: 'M9.5 3.5L5 8l4.5 4.5',
  right: 'M6.5 3.5L11 8l-4.5 4.5',
  arrowIn: 'M13 8H3.5M7 4L3 8l4 4',
  arrowOut: 'M3 8h9.5M9 4l4 4-4 4',
  forget: 'M2.5 4.5h11M6 4.5v-2h4v2M4 4.5l.7 9h6.6l.7-9M6.7 7v4M9.3 7v4',
  help: 'M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8ZM6.2 6.2a1.8 1.8 0 1 1 2.6 1.6c-.5.3-.8.6-.8 1.2M8 11.4v.1',
  settings:
    'M2.5 4.5h6M12 4.5h1.5M2.5 11.5H4M7.5 11.5h6M10.2 2.8a1.7 1.7 0 1 0 0 3.4 1.7 1.7 0 0 0 0-3.4ZM5.7 9.8a1.7 1.7 0 1 0 0 3.4 1.7 1.7 0 0 0 0-3.4Z',
  light:
    'M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6ZM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1.1 1.1M11.9 11.9L13 13M13 3l-1.1 1.1M4.1 11.9L3 13',
  dark: 'M13.5 9.5A5.8 5.8 0 0 1 6.5 2.5a5.8 5.8 0 1 0 7 7Z',
  system: 'M2 3h12v8H2zM6 14h4M8 11v3',
  alert: 'M8 2L1.5 13.5h13L8 2ZM8 6.5v3.3M8 11.7v.1',
  offline: 'M2 2l12 12M4.6 12.5a3 3 0 0 1-.5-5.9M6.7 4.2a4 4 0 0 1 5.1 3.4 2.5 2.5 0 0 1 1.4 3.9',
  lock: 'M4 7.5h8v6H4zM5.5 7.5v-2a2.5 2.5 0 0 1 5 0v2',
  paste: 'M5.5 3.5h-2v10h9v-10h-2M5.5 2.5h5v2.5h-5zM5.5 8h5M5.5 10.5h3.5',
  play: 'M4.5 3l8 5-8 5z',
  link: 'M6.8 9.2a2.6 2.6 0 0 0 3.7 0l2-2a2.6 2.6 0 0 0-3.7-3.7l-.8.8M9.2 6.8a2.6 2.6 0 0 0-3.7 0l-2 2a2.6 2.6 0 0 0 3.7 3.7l.8-.8',
} as const

export type IconName = keyof typeof shapes

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={shapes[name]} />
    </svg>
  )
}
