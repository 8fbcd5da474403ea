// `vitrine company enable`, `disable` and `show`: the subscription of the company to the API.
import { commandLine, withState, type CommandContext, type Runnable } from './command.ts'

const text = (isEnabled: boolean) =>
  isEnabled
    ? 'The API is on: requests are answered.'
    : 'The API is off: every request except /status gets 503 api_not_enabled.'

const show = (context: CommandContext, isEnabled: boolean) =>
  context.output.result({ enabled: isEnabled }, text(isEnabled))

const change = (name: string, summary: string, isEnabled: boolean): Runnable => ({
  name,
  summary,
  async run(context) {
    await withState(context, (state) => state.setEnabled(isEnabled, commandLine()), 'create')
    show(context, isEnabled)
  },
})

export const companyEnable = change('company enable', 'Turns the API on for the company.', true)
export const companyDisable = change('company disable', 'Turns the API off for the company.', false)
export const companyShow: Runnable = {
  name: 'company show',
  summary: 'Shows whether the API is on for the company.',
  run: (context) => withState(context, async (state) => show(context, await state.isEnabled())),
}
