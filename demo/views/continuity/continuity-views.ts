// The views of this room, which the page fetches together when one of them is first shown.
export { CollectionView } from './collection-view.tsx'
export { DayView } from './day-view.tsx'
export { PersonaView } from './persona-view.tsx'
export { SnapshotView } from './snapshot-view.tsx'
