// Finds the positions (see `Store`) that a run reads, and begins the new ones.
import { choose } from './choose.ts'
import { feedOf, HasNoFeed, isFeed, wholeFeed, type PullJob } from './job.ts'
import type { StoredResource, VisibleResource } from './store.ts'

export async function positionsOf(job: PullJob, isAnew: boolean): Promise<readonly string[]> {
  const { names, store, mirror } = job
  const stored = isAnew ? [] : await store.resources()
  const positions =
    names.length === 0
      ? stored.map(({ position }) => position).filter((position) => position !== null)
      : names.map((name) => positionIn(stored, name))
  // A mirror that follows the feed knows its resources, which saves asking the service.
  const isKnown = names.length > 0 || positions.includes(wholeFeed)
  if (isKnown && positions.every(isFeed)) return [...new Set(positions as string[])]
  const { wanted, hasFeed } = await choose(job)
  // Only now that the service has accepted the key: a wrong one must not clear the mirror.
  if (JSON.stringify(await store.mirror()) !== JSON.stringify(mirror)) {
    await store.clear()
    await store.setMirror(mirror)
  }
  return hasFeed ? await feedsOf(job, stored, wanted) : await listsOf(job, stored, wanted)
}

// Called when the mirror cannot continue from its cursor: everything is read again.
export async function beginAgain(job: PullJob, position: string): Promise<void> {
  const { store } = job
  const before = (await store.resourcesAt(position)).map(({ resource }) => resource.name as string)
  const { wanted, hasFeed } = await choose({ ...job, names: position === wholeFeed ? [] : before })
  if (!hasFeed) throw new HasNoFeed()
  await store.begin(position, wanted)
}

// Names the resources that the mirror holds and the key may no longer read.
export async function remarkLost({ store, remark }: PullJob): Promise<void> {
  const lost = (await store.resources())
    .filter(({ position }) => position === null)
    .map(({ resource }) => resource.name)
  if (lost.length > 0)
    remark(`This key may no longer read ${lost.join(', ')}: what the mirror holds of that stays as it was.`)
}

const positionIn = (stored: readonly StoredResource[], name: string) =>
  stored.find(({ resource }) => resource.name === name)?.position ?? null

async function feedsOf(
  { names, store, remark }: PullJob,
  stored: readonly StoredResource[],
  wanted: readonly VisibleResource[],
): Promise<string[]> {
  const isByList = ({ name }: VisibleResource) => positionIn(stored, name) === name
  if (wanted.some(isByList))
    remark('The service has a change feed now, which the mirror follows from now on: everything is read once more.')
  if (names.length === 0) {
    await store.begin(wholeFeed, wanted)
    return [wholeFeed]
  }
  const positions = new Set<string>()
  for (const resource of wanted) {
    const before = positionIn(stored, resource.name)
    const position = before !== null && isFeed(before) ? before : feedOf(resource.name)
    if (position !== before) await store.begin(position, [resource])
    positions.add(position)
  }
  return [...positions]
}

// A run that was stopped continues; else everything is read again.
async function listsOf(
  { store }: PullJob,
  stored: readonly StoredResource[],
  wanted: readonly VisibleResource[],
): Promise<string[]> {
  for (const resource of wanted) {
    const before = stored.find((each) => each.resource.name === resource.name)
    if (isFeed(before?.position)) throw new HasNoFeed()
    if (before?.isReadingAll && JSON.stringify(before.resource) === JSON.stringify(resource)) continue
    await store.begin(resource.name, [resource])
  }
  return wanted.map(({ name }) => name)
}
