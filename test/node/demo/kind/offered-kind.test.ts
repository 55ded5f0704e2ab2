// The inspector offers each kind for export that a bundle may contain, and each for recall that it finds, and no other.
import { expect, it } from 'vitest'
import { boundKinds, grantingKinds } from '../../../../demo/kind/bundle-kind.ts'
import { recalledKinds } from '../../../../demo/kind/recalled-kind.ts'
import type { Kind } from '../../../../src/core/kind.ts'
import { kinds } from '../../../../src/engine/capability-table.ts'

const namesOf = (isMeant: (kind: Kind) => boolean | undefined) =>
  [...kinds.values()].filter(isMeant).map(({ name }) => name)

it('knows the kinds that stay in their book and the kinds that grant rights', () => {
  expect(boundKinds.toSorted()).toEqual(namesOf(({ bound }) => bound).toSorted())
  expect(grantingKinds).toEqual(namesOf(({ grantsRights, bound }) => grantsRights && !bound))
})

it('knows the kinds that recall finds', () => {
  expect(recalledKinds).toEqual(namesOf(({ recallable }) => recallable !== false))
})
