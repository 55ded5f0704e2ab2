// The pages of one chunk: storage, and its end.
export { ErasedPage } from './erase-card.tsx'
export { StorageView } from './storage-view.tsx'
