// The page while no book is open: opening, owned by another tab, without storage, failed, or closed.
import { useEffect } from 'preact/hooks'
import { useSignal } from '@preact/signals'
import type { DaybookError } from '../../../src/index.ts'
import { BookList } from './book-list.tsx'
import { Calm } from '../../parts/calm.tsx'
import { bookName } from '../../state/address.ts'
import { openBook, opening } from '../../state/book.ts'
import { closeBundle, openBundle } from '../../state/bundle/bundle-import.ts'
import { errorWords } from '../../wording/error-word.ts'

const patienceMs = 400

export function OpeningPage() {
  const now = opening.value
  if (now.state === 'choosing')
    return (
      <div class="calm">
        <h1>Which book?</h1>
        <BookList />
      </div>
    )
  if (now.state === 'failed') return <Failed error={now.error} />
  if (now.state === 'closed') {
    return (
      <Calm icon="alert" title="The book was closed" actions={<TryAgain word="Open it again" />}>
        <p>{now.reason}</p>
        <p>No saved data was lost.</p>
      </Calm>
    )
  }
  return <Opening />
}

function Opening() {
  const isSlow = useSignal(false)
  useEffect(() => {
    const timer = setTimeout(() => (isSlow.value = true), patienceMs)
    return () => clearTimeout(timer)
  }, [])
  const bundle = openBundle.value
  return (
    <div class="calm" aria-busy="true" role="status">
      {isSlow.value && <p class="quiet">Opening the book “{bookName}”…</p>}
      {bundle && (
        <p>
          <span class="file-name">{bundle.file.name}</span> waits for it.{' '}
          <button type="button" class="button small" onClick={closeBundle}>
            Cancel
          </button>
        </p>
      )}
    </div>
  )
}

function Failed({ error }: { error: DaybookError }) {
  const words = errorWords(error)
  if (error.code === 'open-elsewhere') {
    return (
      <Calm icon="lock" title="This book is open in another tab" actions={<TryAgain word="Try again" />}>
        <p>
          Only one tab at a time can hold the book “{bookName}”, so that two can never write over each other.
        </p>
        <p>Nothing is lost. Close the other tab, or work there.</p>
      </Calm>
    )
  }
  if (error.code === 'storage-unavailable') {
    const actions = (
      <>
        <TryAgain word="Try again" />
        <button type="button" class="button" onClick={() => void openBook({ inMemory: true })}>
          Continue in memory
        </button>
      </>
    )
    return (
      <Calm
        icon="storage"
        title="This browser gives the page no durable storage"
        actions={actions}
        details={words.details}
      >
        <p>{words.fault}</p>
        <p>
          This happens in private windows and when site data is blocked. Allow site data for this page and try
          again, or continue in memory: everything in this book is then lost when the tab closes or reloads.
        </p>
        <p>Nothing was changed.</p>
      </Calm>
    )
  }
  return (
    <Calm
      icon="alert"
      title="The book could not be opened"
      actions={<TryAgain word="Try again" />}
      details={words.details}
    >
      <p>{words.fault}</p>
      <p>{words.lost}</p>
      <p>{words.remedy}</p>
    </Calm>
  )
}

function TryAgain({ word }: { word: string }) {
  return (
    <button type="button" class="button primary" onClick={() => void openBook()}>
      {word}
    </button>
  )
}
