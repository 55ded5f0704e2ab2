// The view of bundles: how a book leaves, and how it comes back.
import { ExportCard } from './export-card.tsx'
import { ImportCard } from './import-card.tsx'

export function BundleView() {
  return (
    <div class="page-scroll">
      <div class="page">
        <h1>Bundles</h1>
        <p class="quiet">
          A bundle is a single file with the contents of this book and a checksum. It stays on this device
          unless you share it.
        </p>
        <ExportCard />
        <ImportCard />
      </div>
    </div>
  )
}
