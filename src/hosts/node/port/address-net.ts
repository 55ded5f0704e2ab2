// Who one client is, by address. Invariant: whoever has a network of IPv6 to choose addresses from counts as one client.
import { isIPv6 } from 'node:net'

/** An address of IPv4 as it is; of one of IPv6 the network of 64 bits, of which each home and machine has one to itself. */
export function netOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
  if (!isIPv6(plain)) return plain
  const [head = '', tail] = plain.toLowerCase().split('::')
  const groups = head === '' ? [] : head.split(':')
  const rest = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - rest.length)
  const whole = [...groups, ...Array<string>(zeros).fill('0'), ...rest]
  return whole
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')
}
