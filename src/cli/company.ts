// `vitrine company enable`, `disable` and `show`: the subscription of the company to the API.
import { commandLine, withState, type Context, type Runnable } from './runnable.ts'

const text = (isEnabled: boolean) =>
  isEnabled
    ? 'The company has the API: requests are answered.'
    : 'The company does not have the API: every request but /status gets 503 api_not_enabled.'

const show = (context: Context, isEnabled: boolean) => context.output.result({ enabled: isEnabled }, text(isEnabled))

const change = (name: string, summary: string, isEnabled: boolean): Runnable => ({
  name,
  summary,
  operands: [],
  options: [],
  async run(context) {
    await withState(context, (state) => state.setEnabled(isEnabled, commandLine()), 'create')
    show(context, isEnabled)
  },
})

export const companyEnable = change('company enable', 'Turns the API on for the company.', true)
export const companyDisable = change('company disable', 'Turns the API off for the company.', false)
export const companyShow: Runnable = {
  name: 'company show',
  summary: 'Tells whether the company has the API.',
  operands: [],
  options: [],
  run: (context) => withState(context, async (state) => show(context, await state.isEnabled())),
}
