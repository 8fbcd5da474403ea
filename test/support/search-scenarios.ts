// Texts and what a search must and must not find them by: literal parts, under Unicode's simple case folding.

export interface SearchScenario {
  readonly name: string
  readonly stored: string
  readonly found: readonly string[]
  readonly missed: readonly string[]
}

export const searchScenarios: readonly SearchScenario[] = [
  {
    name: 'any part of a text',
    stored: 'Bwa Kayiman',
    found: ['Bw', 'wa ', 'Bwa Kayiman', 'iman', 'an'],
    missed: ['BwaK', 'imam', 'Kayimans'],
  },
  {
    name: 'letters that languages make small in their own ways, where nothing has another form',
    stored: '7-İ 12',
    found: ['-İ 1', 'İ 12', '7-İ', 'İ ', '12'],
    missed: ['-i 1', '-I 1', '7İ'],
  },
  { name: 'case of ASCII letters', stored: 'MiXed', found: ['mixed', 'MIXED', 'mI', 'xED', 'ixe'], missed: ['m1xed'] },
  {
    name: 'a percent sign',
    stored: 'cotton 100% pure',
    found: ['0% p', '0%', '% '],
    missed: ['1%p', 'co%n', '%%', '%0'],
  },
  {
    name: 'an underscore',
    stored: 'part_no 7',
    found: ['t_n', '_n', 'part_no'],
    missed: ['p_rt', '__', 'part__'],
  },
  {
    name: 'a text that a wildcard would match',
    stored: 'partxno',
    found: ['txn'],
    missed: ['t_n', 't%n', 'p*o', 't.n', 't?n'],
  },
  {
    name: 'a backslash',
    stored: 'C:\\dir\\new',
    found: [':\\d', '\\d', '\\n', 'r\\new'],
    missed: ['\\\\', 'C:d', ':\\\\d'],
  },
  {
    name: 'a star',
    stored: 'Hotel ***',
    found: ['***', '**', 'l *', 'tel'],
    missed: ['****', 'tel*', 'h*l'],
  },
  {
    name: 'double quotes',
    stored: 'say "hi" now',
    found: ['"hi"', '"h', 'i" n', 'say "hi'],
    missed: ['""', '"say', '"hi now"'],
  },
  { name: 'a single quote', stored: "L'Eau d'Haïti", found: ["l'e", "d'h", "'E", "u d'"], missed: ["''", "l''e"] },
  {
    name: 'signs of patterns',
    stored: '(x) [y] {z} ^$ |? +.',
    found: ['(x)', '[y] {z}', '^$', '|?', ' +.'],
    missed: ['[xy]', 'x|y', '.*', '(?:x)', '\\(x'],
  },
  {
    name: 'words of query languages',
    stored: 'salt AND pepper',
    found: ['t AND p', 'and', 'AND '],
    missed: ['salt pepper', 'pepper AND salt', 'salt OR', 'NOT salt', 'NEAR(salt)', 'salt*'],
  },
  {
    name: 'blanks, which are not trimmed',
    stored: 'two  blanks',
    found: ['  ', 'o  b', ' b', 'two '],
    missed: [' two', 'blanks ', 'o b', '   '],
  },
  {
    name: 'line breaks and tabs',
    stored: 'one\ntwo\tthree',
    found: ['e\nt', '\ntwo', 'o\tt'],
    missed: ['e t', 'onetwo', 'one two'],
  },
  { name: 'a plus sign', stored: '1+1=2&3', found: ['1+1', '+1', '=2', '2&3', '1=2&'], missed: ['1 1', '11'] },
  {
    name: 'case of accented letters',
    stored: 'ÉCLAIR à',
    found: ['écl', 'éc', 'Éclair', ' À', 'r à'],
    missed: ['ecl', 'ec', ' a', 'r a'],
  },
  { name: 'a text without accents', stored: 'eclair', found: ['ecl', 'EC'], missed: ['écl', 'Éc'] },
  {
    name: 'an accent written apart',
    stored: 'caf\u0065\u0301',
    found: ['caf\u0065', 'e\u0301', 'afe\u0301'],
    missed: ['café', 'fé', 'afé'],
  },
  {
    name: 'the three sigmas',
    stored: 'ΣΊΣΥΦΟΣ',
    found: ['σίσυφος', 'σίσυφοσ', 'ΦΟΣ', 'ος', 'ςίς'],
    missed: ['σισ', 'σι'],
  },
  { name: 'a final sigma', stored: 'λόγος', found: ['ΓΟΣ', 'γοσ', 'ος', 'ΟΣ'], missed: ['λογ'] },
  {
    name: 'the Kelvin sign',
    stored: '5\u212aelvin',
    found: ['5kelvin', '5KEL', '5k', 'kel', '\u212aelv'],
    missed: ['5celvin'],
  },
  {
    name: 'the letter k',
    stored: 'kelvin',
    found: ['\u212aelvin', '\u212ael', '\u212ae', 'KEL'],
    missed: ['\u212a\u212a'],
  },
  {
    name: 'the Ångström sign',
    stored: '\u212bngström',
    found: ['ångström', 'ång', 'ÅN', '\u212bng'],
    missed: ['ang', 'an'],
  },
  { name: 'the letter å', stored: 'ångström', found: ['\u212bng', '\u212bn', 'ÅNGSTRÖM'], missed: ['ngstrom'] },
  { name: 'the long s', stored: 'Congreſs', found: ['congress', 'ess', 'SS', 'ſs'], missed: ['congreß'] },
  { name: 'the letter s', stored: 'passage', found: ['paſſ', 'ſſ', 'aſs'], missed: ['paß'] },
  { name: 'the micro sign', stored: '10 \u00b5m', found: ['\u03bcm', ' \u03bcM', '0 \u039cm'], missed: ['um', '10 m'] },
  {
    name: 'sharp s, which is not ss',
    stored: 'Straße',
    found: ['straße', 'aß', 'STRA\u1e9eE', 'ra\u1e9e'],
    missed: ['strasse', 'ass', 'SS'],
  },
  {
    name: 'ss, which is not sharp s',
    stored: 'STRASSE',
    found: ['strasse', 'ss'],
    missed: ['straße', 'aß', 'ra\u1e9e'],
  },
  { name: 'capital sharp s', stored: 'STRA\u1e9eE', found: ['straße', 'aß'], missed: ['strasse'] },
  {
    name: 'dotted capital I, which is not i',
    stored: 'İzmir',
    found: ['İzm', 'İz', 'zmir'],
    missed: ['izm', 'iz', 'IZ', 'i\u0307z'],
  },
  { name: 'the letter i', stored: 'Izmir', found: ['izm', 'IZ'], missed: ['İzm', 'İz', 'ızm', 'ız'] },
  { name: 'dotless i, which is not i', stored: 'ısı', found: ['ısı', 'ıs'], missed: ['isi', 'IS', 'ISI'] },
  {
    name: 'a ligature, which is one letter',
    stored: '\ufb01nal',
    found: ['\ufb01n', '\ufb01na'],
    missed: ['fin', 'fi'],
  },
  {
    name: 'letters with a title case',
    stored: '\u01c5ep',
    found: ['\u01c4ep', '\u01c6e', '\u01c6EP'],
    missed: ['džep'],
  },
  { name: 'Cyrillic', stored: 'Яблоко', found: ['ЯБЛ', 'яб', 'ОКО'], missed: ['яблоки'] },
  {
    name: 'Cherokee, whose small letters came later',
    stored: '\u13a0\u13a1\u13a2',
    found: ['\uab70\uab71\uab72', '\uab71\u13a2'],
    missed: ['\uab72\uab71'],
  },
  {
    name: 'Deseret, beyond the basic plane',
    stored: '\u{10400}\u{10401}\u{10402}',
    found: ['\u{10428}\u{10429}', '\u{10429}\u{1042a}', '\u{10428}\u{10429}\u{1042a}'],
    missed: ['\u{10429}\u{10428}'],
  },
  { name: 'Arabic', stored: 'مرحبا بكم', found: ['مرحبا', 'با ب'], missed: ['بكن'] },
  { name: 'Chinese', stored: '北京烤鸭店', found: ['京烤', '北京烤鸭', '烤鸭店'], missed: ['京鸭', '北京鸭'] },
  { name: 'emoji', stored: 'fête 🎉🎊!', found: ['🎉🎊', '🎊!', 'e 🎉'], missed: ['🎊🎉', '🎉!'] },
  { name: 'letters of two scripts', stored: 'Prix ₲5 ж', found: ['x ₲5', '5 Ж', 'rix ₲'], missed: ['₲ 5'] },
]
