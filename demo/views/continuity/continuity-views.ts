// The views of this room. The page loads them together when one is first shown.
export { CollectionView } from './collection-view.tsx'
export { DayView } from './day-view.tsx'
export { PersonaView } from './persona-view.tsx'
export { SnapshotView } from './snapshot-view.tsx'
