// A bar chart as SVG, drawn for the available width. Screen readers get a sentence, and the table below it.
import { html, type Html } from '../../page/browser/html.ts'
import { number, shortNumber, t } from './language.ts'

export interface Bar {
  // `label` is short and stands below the bar; `when` is the full text.
  readonly label: string
  readonly when: string
  readonly value: number
}

const height = 190
const [left, right, top, bottom] = [48, 8, 12, 26]

// 1, 2 or 5 times a power of ten: at most four lines.
function niceStep(most: number): number {
  const rough = Math.max(1, most / 4)
  const power = 10 ** Math.floor(Math.log10(rough))
  return ([1, 2, 5, 10].find((each) => each * power >= rough) ?? 10) * power
}

function sentenceOf(what: string, bars: readonly Bar[]): string {
  const total = bars.reduce((sum, { value }) => sum + value, 0)
  const most = bars.reduce((best, bar) => (bar.value > best.value ? bar : best), bars[0] ?? { value: 0, when: '' })
  return total === 0 ? t.use.chartNone(what) : t.use.chart(what, number(total), number(most.value), most.when)
}

export function chartHtml(what: string, bars: readonly Bar[], width: number, kind: string): Html {
  const most = Math.max(0, ...bars.map(({ value }) => value))
  const step = niceStep(most)
  const ceiling = Math.max(step, Math.ceil(most / step) * step)
  const [inner, room] = [width - left - right, height - top - bottom]
  const [slot, y] = [inner / Math.max(1, bars.length), (value: number) => top + room * (1 - value / ceiling)]
  const every = Math.ceil(bars.length / Math.max(1, Math.floor(inner / 60)))
  const lines = Array.from({ length: Math.round(ceiling / step) + 1 }, (_, at) => at * step)
  return html`<svg
    class="chart of-${kind}"
    viewBox="0 0 ${width} ${height}"
    width="${width}"
    height="${height}"
    role="img"
    aria-label="${sentenceOf(what, bars)}"
  >
    ${lines.map(
      (value) =>
        html`<line x1="${left}" x2="${width - right}" y1="${y(value)}" y2="${y(value)}" /><text
            class="y"
            x="${left - 8}"
            y="${y(value) + 4}"
            >${shortNumber(value)}</text
          >`,
    )}
    ${bars.map(
      ({ label, when, value }, at) =>
        html`<g>
          <title>${when}: ${number(value)}</title>
          <rect class="back" x="${left + at * slot}" y="${top}" width="${slot}" height="${room}" />
          ${
            value > 0 &&
            html`<rect
              class="bar"
              x="${left + at * slot + slot * 0.14}"
              y="${Math.min(y(value), y(0) - 2)}"
              width="${slot * 0.72}"
              height="${Math.max(2, y(0) - y(value))}"
              rx="2"
            />`
          }
          ${at % every === 0 && html`<text class="x" x="${left + (at + 0.5) * slot}" y="${height - 8}">${label}</text>`}
        </g>`,
    )}
  </svg>`
}
