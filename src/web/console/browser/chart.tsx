// A chart of stacked bars as SVG, drawn for the available width. The pointer, a touch or the arrow keys choose a bar, whose values
// are written below; screen readers hear them as the value of a slider.
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { number, shortNumber, t } from './language.ts'

export interface Bar {
  // `label` is short and stands below the bar; `when` is the full text.
  readonly label: string
  readonly when: string
  // By the kinds of the series.
  readonly parts: Readonly<Record<string, number>>
  // The bar's period has not ended.
  readonly isPartial: boolean
}

interface Series {
  readonly name: string
  readonly kind: string
}

interface ChartProps {
  // The title: what is counted in which period.
  readonly what: string
  readonly bars: readonly Bar[]
  // From bottom to top. All but the first are left out if they are zero everywhere.
  readonly series: readonly Series[]
}

// How many bars each key moves the choice.
const arrows = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }
const steps: Readonly<Record<string, number>> = { ...arrows, Home: -Infinity, End: Infinity }

const height = 240
const [left, right, top, bottom] = [48, 8, 14, 26]

// 1, 2 or 5 times a power of ten: at most four lines.
function niceStep(most: number): number {
  const rough = Math.max(1, most / 4)
  const power = 10 ** Math.floor(Math.log10(rough))
  return ([1, 2, 5, 10].find((each) => each * power >= rough) ?? 10) * power
}

export const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)

function valueText({ when, parts }: Bar, series: readonly Series[]): string {
  const values = series.flatMap(({ name, kind }) => (parts[kind] ? [`${name} ${number(parts[kind])}`] : []))
  return `${when}: ${values.join(', ') || number(0)}`
}

export function Chart({ what, bars, series: all }: ChartProps) {
  const series = all
    .map((each) => ({ ...each, sum: sumOf(bars.map(({ parts }) => parts[each.kind] ?? 0)) }))
    .filter(({ sum }, at) => at === 0 || sum > 0)
  const place = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  const [chosen, setChosen] = useState<number | null>(null)
  useLayoutEffect(() => {
    const observer = new ResizeObserver(() => setWidth(Math.max(240, Math.floor(place.current?.clientWidth ?? 0))))
    if (place.current) observer.observe(place.current)
    return () => observer.disconnect()
  }, [])
  const at = Math.min(chosen ?? bars.length - 1, bars.length - 1)
  const bar = bars[at]
  const choose = (next: number) => setChosen(Math.max(0, Math.min(bars.length - 1, next)))
  const press = (event: KeyboardEvent) => {
    const step = steps[event.key]
    if (step === undefined) return
    event.preventDefault()
    choose(at + step)
  }
  const point = ({ clientX, currentTarget }: { clientX: number; currentTarget: HTMLElement }) => {
    const x = clientX - currentTarget.getBoundingClientRect().left - left
    const slot = (width - left - right) / bars.length
    if (x >= 0) choose(Math.floor(x / slot))
  }
  return (
    <figure class="chart-figure">
      <figcaption>{what}</figcaption>
      <ul class="legend-list">
        {series.map(({ name, kind, sum }) => (
          <li>
            <span class={`swatch of-${kind}`} /> {name} <strong>{number(sum)}</strong>
          </li>
        ))}
      </ul>
      <div
        class="drawn"
        ref={place}
        tabIndex={0}
        role="slider"
        aria-label={what}
        aria-valuemin={0}
        aria-valuemax={bars.length - 1}
        aria-valuenow={at}
        aria-valuetext={bar && valueText(bar, series)}
        onKeyDown={press}
        onPointerMove={point}
        onPointerDown={point}
      >
        {width > 0 && <Drawing bars={bars} series={series} width={width} chosen={chosen === null ? -1 : at} />}
      </div>
      <p class="readout">{chosen === null || !bar ? t.usage.choose : valueText(bar, series)}</p>
      {bars.at(-1)?.isPartial && <p class="note">{t.usage.lastPartial}</p>}
    </figure>
  )
}

function Drawing({ bars, series, width, chosen }: Omit<ChartProps, 'what'> & { width: number; chosen: number }) {
  const most = Math.max(0, ...bars.map(({ parts }) => sumOf(Object.values(parts))))
  const step = niceStep(most)
  const ceiling = Math.max(step, Math.ceil(most / step) * step)
  const [inner, room] = [width - left - right, height - top - bottom]
  const [slot, y] = [inner / Math.max(1, bars.length), (value: number) => top + room * (1 - value / ceiling)]
  const every = Math.ceil(bars.length / Math.max(1, Math.floor(inner / 60)))
  const lines = Array.from({ length: Math.round(ceiling / step) + 1 }, (_, line) => line * step)
  return (
    <svg class="chart" viewBox={`0 0 ${width} ${height}`} width={width} height={height} aria-hidden="true">
      {lines.map((value) => (
        <>
          <line x1={left} x2={width - right} y1={y(value)} y2={y(value)} />
          <text text-anchor="end" x={left - 8} y={y(value) + 4}>
            {shortNumber(value)}
          </text>
        </>
      ))}
      {bars.map(({ label, parts, isPartial }, at) => (
        <g class={isPartial ? 'partial' : undefined}>
          <rect
            class={at === chosen ? 'chosen' : undefined}
            fill="none"
            x={left + at * slot}
            y={top}
            width={slot}
            height={room}
          />
          {stack(series, parts, y).map(
            ({ kind, from, to }) =>
              to > from && (
                <rect
                  class={`bar of-${kind}`}
                  x={left + at * slot + slot * 0.14}
                  y={from}
                  width={slot * 0.72}
                  height={to - from}
                />
              ),
          )}
          {at % every === 0 && (
            <text text-anchor="middle" x={left + (at + 0.5) * slot} y={height - 8}>
              {label}
            </text>
          )}
        </g>
      ))}
    </svg>
  )
}

// Where each part begins and ends. A part that is not zero is at least two pixels high.
function stack(series: readonly Series[], parts: Bar['parts'], y: (value: number) => number) {
  let to = y(0)
  return series.map(({ kind }) => {
    const value = parts[kind] ?? 0
    const part = { kind, from: value > 0 ? Math.min(to - 2, to - (y(0) - y(value))) : to, to }
    to = part.from
    return part
  })
}
