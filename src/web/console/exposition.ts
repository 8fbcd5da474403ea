// The text format that Prometheus reads (version 0.0.4): names, labels and numbers, a line each.

export type Labels = Readonly<Record<string, string>>

const escaped = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')

export function line(name: string, labels: Labels, value: number): string {
  const inside = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`)
  return `${name}${inside.length > 0 ? `{${inside.join(',')}}` : ''} ${value}`
}

export const metric = (
  name: string,
  type: 'counter' | 'gauge',
  help: string,
  values: readonly (readonly [Labels, number])[],
): string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} ${type}`,
  ...values.map(([labels, value]) => line(name, labels, value)),
]

const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export function histogram() {
  // One more for what is above all bounds.
  const counts = new Float64Array(bounds.length + 1)
  let sum = 0
  return {
    observe(seconds: number): void {
      const at = bounds.findIndex((bound) => seconds <= bound)
      const place = at < 0 ? bounds.length : at
      counts[place] = (counts[place] ?? 0) + 1
      sum += seconds
    },
    lines(name: string, labels: Labels): string[] {
      let below = 0
      const buckets = [...bounds.map(String), '+Inf'].map((bound, at) => {
        below += counts[at] ?? 0
        return line(`${name}_bucket`, { ...labels, le: bound }, below)
      })
      return [...buckets, line(`${name}_sum`, labels, sum), line(`${name}_count`, labels, below)]
    },
  }
}
