// The frame around every view: sections, language, theme, account, warnings (service unreachable, subscription off), and the view with
// its title and focus.
import { effect, signal, useSignalEffect } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { ask, docsAddress, isLost, sentencesOf, session, signedOut } from './ask.ts'
import { AskDialog, mayLeave } from './dialog.tsx'
import { Select } from './form.tsx'
import { keep, readKept } from '../../page/browser/kept.ts'
import { chooseLanguage, language, languages, t, type Language } from './language.ts'
import { Button, message, showMessage } from './parts.tsx'
import { askedHash, busy, leaveView, sectionOf, show, shown, type Draw } from './router.tsx'
import { AgainDialog } from './sign-in.tsx'

const sections = ['keys', 'usage', 'blocks', 'audit', 'health', 'company', 'accounts'] as const

export const App = () => {
  const { signed_in: isSignedIn, enabled: isEnabled } = session.value
  const isOff = isSignedIn && isEnabled === false
  return (
    <>
      <a class="skip" href="#main" onClick={skip}>
        {t.page.skip}
      </a>
      <Top />
      <p id="lost" role="alert" hidden={!isLost.value}>
        {isLost.value && t.page.lost}
      </p>
      <p id="off" role="status" hidden={!isOff}>
        {isOff && (
          <>
            {t.company.off}. <a href="#company">{t.nav.company}</a>
          </>
        )}
      </p>
      <div class="columns">
        <Navigation />
        <Main />
      </div>
      <p id="message" role="status">
        {message.value}
      </p>
      <AskDialog />
      <AgainDialog />
    </>
  )
}

function skip(event: Event) {
  event.preventDefault()
  document.querySelector<HTMLElement>('#main')?.focus()
}

// Stops all refreshes first, and does not ask for the password if the session has ended meanwhile.
async function signOut() {
  if (!(await mayLeave())) return
  const before = session.value
  leaveView()
  session.value = { ...before, signed_in: false }
  try {
    await ask('DELETE', '/api/session')
    signedOut(t.signIn.signedOut)
  } catch (error) {
    session.value = before
    await show()
    showMessage(sentencesOf(error).join(' '))
  }
}

const SignOut = () => <Button class="sign-out" text={t.page.signOut} onClick={() => void signOut()} />

// The theme of the page: that of the system, light or dark; remembered in this browser.
const theme = signal(readKept('theme') || 'system')
effect(() => {
  document.documentElement.dataset['theme'] = theme.value
  keep('theme', theme.value === 'system' ? '' : theme.value)
})

const ThemeChoice = ({ id }: { id: string }) => (
  <Select
    id={id}
    class="theme"
    aria-label={t.page.theme}
    value={theme.value}
    options={Object.entries(t.page.themes)}
    onInput={({ currentTarget }) => (theme.value = currentTarget.value)}
  />
)

// A click on the current section refreshes it.
const refresh = (name: string) => location.hash === `#${name}` && void show()

function Top() {
  const { signed_in: isSignedIn, account } = session.value
  return (
    <header class="top">
      <a class="brand" href="#keys">
        <svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
          <path
            d="M3 9 5 3h14l2 6M3 9v12h18V9M3 9h18M8 21v-8h8v8"
            fill="none"
            stroke="currentColor"
            stroke-width="1.8"
            stroke-linejoin="round"
          />
        </svg>
        Vitrine
      </a>
      <button type="button" class="menu" popovertarget="navigation" hidden={!isSignedIn}>
        {t.page.menu}
      </button>
      <div class="tools">
        <select
          id="language"
          aria-label={t.page.language}
          value={language.value}
          onInput={({ currentTarget }) => void chooseLanguage(currentTarget.value as Language)}
        >
          {Object.entries(languages).map(([code, name]) => (
            <option value={code} lang={code}>
              {name}
            </option>
          ))}
        </select>
        <ThemeChoice id="theme" />
        {isSignedIn && (
          <>
            <a class="who" href="#account" title={t.page.account}>
              {account}
            </a>
            <SignOut />
          </>
        )}
      </div>
    </header>
  )
}

function Navigation() {
  const navigation = useRef<HTMLElement>(null)
  const section = sectionOf(askedHash.value)
  useLayoutEffect(() => {
    if (navigation.current?.matches(':popover-open')) navigation.current.hidePopover()
  }, [askedHash.value])
  return (
    <nav id="navigation" ref={navigation} popover="auto" hidden={!session.value.signed_in} aria-label={t.page.sections}>
      <ul>
        {sections.map((name) => (
          <li>
            <a href={`#${name}`} aria-current={name === section ? 'page' : undefined} onClick={() => refresh(name)}>
              {t.nav[name]}
            </a>
          </li>
        ))}
        <li>
          <a href={docsAddress()} target="_blank" rel="noopener">
            {t.page.docs}
          </a>
        </li>
      </ul>
      <ul class="own">
        <li>
          <a href="#account">{t.page.account}</a>
        </li>
        <li>
          <ThemeChoice id="own-theme" />
        </li>
        <li>
          <SignOut />
        </li>
      </ul>
    </nav>
  )
}

function Main() {
  const main = useRef<HTMLElement>(null)
  const { path, moves } = shown.value
  const isMoved = useRef(moves)
  useSignalEffect(() => void (document.title = [shown.value.draw().title, t.page.title].filter(Boolean).join(' – ')))
  // A new view takes the focus: its first field if it asks for it, else, coming from another view, its heading.
  useLayoutEffect(() => {
    const heading = main.current?.querySelector<HTMLElement>('h1')
    const field = main.current?.querySelector<HTMLElement>('[autofocus]')
    if (field) field.focus()
    else if (isMoved.current !== moves) heading?.focus({ preventScroll: true })
    if (isMoved.current !== moves) scrollTo(0, 0)
    isMoved.current = moves
  }, [path, moves])
  return (
    <main id="main" ref={main} tabIndex={-1} aria-busy={busy.value === 'no' ? undefined : 'true'}>
      {busy.value === 'long' ? (
        <p class="loading" role="status">
          {t.page.loading}
        </p>
      ) : (
        <Shown key={path} draw={shown.value.draw} />
      )}
    </main>
  )
}

function Shown({ draw }: { draw: Draw }) {
  const { title, lead, back: [href, text] = [], beside, body, refreshMs } = draw()
  // Only while the view is open and visible.
  useEffect(() => {
    if (refreshMs === undefined) return
    const timer = setInterval(() => document.hidden || void show(true), refreshMs)
    return () => clearInterval(timer)
  }, [refreshMs])
  return (
    <>
      {href && (
        <p class="back">
          <a href={href}>← {text}</a>
        </p>
      )}
      {title && (
        <div class="head">
          <h1 tabIndex={-1}>{title}</h1>
          {beside}
        </div>
      )}
      {lead && <p class="lead">{lead}</p>}
      {body}
    </>
  )
}
