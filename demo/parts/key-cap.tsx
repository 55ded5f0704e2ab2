// A key as it is printed on a keyboard.
export function KeyCap({ name }: { name: string }) {
  return <kbd class="key-cap">{name}</kbd>
}
