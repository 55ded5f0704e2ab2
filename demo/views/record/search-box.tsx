// The search box of a list. What is typed goes to the address after a breath; Esc empties it.
import { useSignal } from '@preact/signals'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { Icon } from '../../parts/icon.tsx'
import { KeyCap } from '../../parts/key-cap.tsx'
import type { RecordKind } from '../../kind/record-kind.ts'
import { address, go } from '../../state/address.ts'
import { chipsIn, withChip } from '../../state/filter-chip.ts'
import { focusList, searchInput, stayOutOfList } from '../../state/act/focus.ts'

/** Less than between two keys: while a search runs, the next ones wait for it (`state/list/record-list.ts`). */
const breathMs = 30

export function SearchBox({ kind }: { kind: RecordKind }) {
  const id = useId()
  const text = useSignal(address.value.search)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const { search } = address.value
  // Changed from outside: Back, a cleared filter, a link. Before the list is painted, so that the box never names another one.
  useLayoutEffect(() => {
    if (timer.current === undefined) text.value = search
  }, [search])
  const apply = () => {
    clearTimeout(timer.current)
    timer.current = undefined
    // One step of history for one search, however it was typed.
    go({ search: text.value }, address.peek().search === '' ? 'push' : 'replace')
  }
  const type = (value: string) => {
    stayOutOfList()
    text.value = value
    clearTimeout(timer.current)
    timer.current = setTimeout(apply, breathMs)
  }
  /** `agent:tutor` becomes a filter, which can be seen and taken away; `id:` opens the record. */
  const nameFields = () => {
    const [, id] = /^id:(\S+)$/.exec(text.value.trim()) ?? []
    if (id !== undefined) {
      text.value = ''
      return go({ search: '', id })
    }
    const { rest, chips } = chipsIn(text.value, kind.fields)
    if (chips.length === 0) return
    text.value = rest
    go({
      search: rest,
      chips: chips.reduce((all, chip) => withChip(all, chip, kind.fields), address.peek().chips),
    })
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter' || event.key === 'ArrowDown') {
      event.preventDefault()
      nameFields()
      apply()
      focusList()
    } else if (event.key === 'Escape' && text.value !== '') {
      event.stopPropagation()
      type('')
      apply()
    } else if (event.key === 'Escape') {
      focusList()
    }
  }
  return (
    <div class="search-box" role="search">
      <Icon name="search" />
      <label class="hidden" for={id}>
        Search {kind.many}
      </label>
      <input
        ref={searchInput}
        id={id}
        type="search"
        enterKeyHint="search"
        placeholder={`Search ${kind.many}`}
        autocomplete="off"
        spellcheck={false}
        maxLength={2000}
        value={text.value}
        onInput={(event) => type(event.currentTarget.value)}
        onKeyDown={onKey}
      />
      <KeyCap name="/" />
    </div>
  )
}
