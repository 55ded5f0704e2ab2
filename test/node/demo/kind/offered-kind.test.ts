// The inspector offers each kind for export that a bundle may contain, and no other.
import { expect, it } from 'vitest'
import { boundKinds, grantingKinds } from '../../../../demo/kind/bundle-kind.ts'
import { kinds } from '../../../../src/engine/capability-table.ts'

const namesOf = (isMeant: (kind: { bound?: boolean; grantsRights?: boolean }) => boolean | undefined) =>
  [...kinds.values()].filter(isMeant).map(({ name }) => name)

it('knows the kinds that stay in their book and the kinds that grant rights', () => {
  expect(boundKinds.toSorted()).toEqual(namesOf(({ bound }) => bound).toSorted())
  expect(grantingKinds).toEqual(namesOf(({ grantsRights, bound }) => grantsRights && !bound))
})
