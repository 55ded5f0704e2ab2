// An earlier Daybook, from a package: see run/compare.ts.
import { openDaybook } from 'daybook-before'
import type { StorePeer } from '../peer.ts'
import { daybook, openBy } from './daybook.ts'

export const daybookBefore: StorePeer = {
  ...daybook,
  name: 'Daybook before',
  open: openBy('opfs', openDaybook),
}
