import { type CelType, readType, splitTypes } from './types.js';

interface Overload {
  readonly member: boolean;
  readonly args: readonly CelType[];
  readonly result: CelType;
}

/**
 * What the standard library and the extensions that Kubernetes loads declare (cel-go `common/stdlib`, `ext`;
 * `apiserver/pkg/cel/library`). One line per function: name, then overloads; `T.(…)` is called on a value.
 */
const STANDARD = `
_==_ (A,A)bool
_!=_ (A,A)bool
_&&_ (bool,bool)bool
_||_ (bool,bool)bool
!_ (bool)bool
@not_strictly_false (bool)bool
_?_:_ (bool,A,A)A
@in (A,list(A))bool (A,map(A,B))bool
_[_] (list(A),int)A (map(A,B),A)B (optional_type(list(A)),int)optional_type(A) (optional_type(map(A,B)),A)optional_type(B)
@optIndex (list(A),int)optional_type(A) (map(A,B),A)optional_type(B) (optional_type(list(A)),int)optional_type(A) (optional_type(map(A,B)),A)optional_type(B)
_+_ (int,int)int (uint,uint)uint (double,double)double (string,string)string (bytes,bytes)bytes (list(A),list(A))list(A) (timestamp,duration)timestamp (duration,timestamp)timestamp (duration,duration)duration
_-_ (int,int)int (uint,uint)uint (double,double)double (timestamp,timestamp)duration (timestamp,duration)timestamp (duration,duration)duration
_*_ (int,int)int (uint,uint)uint (double,double)double
_/_ (int,int)int (uint,uint)uint (double,double)double
_%_ (int,int)int (uint,uint)uint
-_ (int)int (double)double
size (string)int (bytes)int (list(A))int (map(A,B))int string.()int bytes.()int list(A).()int map(A,B).()int
contains string.(string)bool
startsWith string.(string)bool
endsWith string.(string)bool
matches (string,string)bool string.(string)bool
int (int)int (uint)int (double)int (string)int (timestamp)int (duration)int
uint (uint)uint (int)uint (double)uint (string)uint
double (double)double (int)double (uint)double (string)double
string (string)string (bool)string (int)string (uint)string (double)string (bytes)string (timestamp)string (duration)string
bytes (bytes)bytes (string)bytes
bool (bool)bool (string)bool
dyn (A)dyn
type (A)type(A)
timestamp (timestamp)timestamp (string)timestamp (int)timestamp
duration (duration)duration (string)duration (int)duration
getFullYear timestamp.()int timestamp.(string)int
getMonth timestamp.()int timestamp.(string)int
getDayOfYear timestamp.()int timestamp.(string)int
getDayOfMonth timestamp.()int timestamp.(string)int
getDate timestamp.()int timestamp.(string)int
getDayOfWeek timestamp.()int timestamp.(string)int
getHours timestamp.()int timestamp.(string)int duration.()int
getMinutes timestamp.()int timestamp.(string)int duration.()int
getSeconds timestamp.()int timestamp.(string)int duration.()int
getMilliseconds timestamp.()int timestamp.(string)int duration.()int
`;

const EXTENSIONS = `
charAt string.(int)string
indexOf string.(string)int string.(string,int)int list(A).(A)int
lastIndexOf string.(string)int string.(string,int)int list(A).(A)int
lowerAscii string.()string
upperAscii string.()string
replace string.(string,string)string string.(string,string,int)string
split string.(string)list(string) string.(string,int)list(string)
substring string.(int)string string.(int,int)string
trim string.()string
join list(string).()string list(string).(string)string
format string.(list(dyn))string
strings.quote (string)string
find string.(string)string
findAll string.(string)list(string) string.(string,int)list(string)
isSorted list(int).()bool list(uint).()bool list(double).()bool list(bool).()bool list(string).()bool list(timestamp).()bool list(duration).()bool list(bytes).()bool
sum list(int).()int list(uint).()uint list(double).()double list(duration).()duration
min list(int).()int list(uint).()uint list(double).()double list(bool).()bool list(string).()string list(timestamp).()timestamp list(duration).()duration list(bytes).()bytes
max list(int).()int list(uint).()uint list(double).()double list(bool).()bool list(string).()string list(timestamp).()timestamp list(duration).()duration list(bytes).()bytes
includes dyn.(dyn)bool
distinct list(A).()list(A)
reverse list(A).()list(A)
slice list(A).(int,int)list(A)
first list(A).()optional_type(A)
last list(A).()optional_type(A)
lists.range (int)list(int)
sets.contains (list(A),list(A))bool
sets.equivalent (list(A),list(A))bool
sets.intersects (list(A),list(A))bool
optional.of (A)optional_type(A)
optional.ofNonZeroValue (A)optional_type(A)
optional.none ()optional_type(A)
hasValue optional_type(A).()bool
value optional_type(A).()A
or optional_type(A).(optional_type(A))optional_type(A)
orValue optional_type(A).(A)A
quantity (string)kubernetes.Quantity
isQuantity (string)bool
sign kubernetes.Quantity.()int
isInteger kubernetes.Quantity.()bool
asInteger kubernetes.Quantity.()int
asApproximateFloat kubernetes.Quantity.()double
isGreaterThan kubernetes.Quantity.(kubernetes.Quantity)bool kubernetes.Semver.(kubernetes.Semver)bool
isLessThan kubernetes.Quantity.(kubernetes.Quantity)bool kubernetes.Semver.(kubernetes.Semver)bool
compareTo kubernetes.Quantity.(kubernetes.Quantity)int kubernetes.Semver.(kubernetes.Semver)int
add kubernetes.Quantity.(kubernetes.Quantity)kubernetes.Quantity kubernetes.Quantity.(int)kubernetes.Quantity
sub kubernetes.Quantity.(kubernetes.Quantity)kubernetes.Quantity kubernetes.Quantity.(int)kubernetes.Quantity
semver (string)kubernetes.Semver
isSemver (string)bool
major kubernetes.Semver.()int
minor kubernetes.Semver.()int
patch kubernetes.Semver.()int
url (string)kubernetes.URL
isURL (string)bool
getScheme kubernetes.URL.()string
getHost kubernetes.URL.()string
getHostname kubernetes.URL.()string
getPort kubernetes.URL.()string
getEscapedPath kubernetes.URL.()string
getQuery kubernetes.URL.()map(string,list(string))
ip (string)net.IP net.CIDR.()net.IP
isIP (string)bool
family net.IP.()int
ip.isCanonical (string)bool
cidr (string)net.CIDR
isCIDR (string)bool
containsIP net.CIDR.(string)bool net.CIDR.(net.IP)bool
prefixLength net.CIDR.()int
`;

const NUMBERS = ['int', 'uint', 'double'];
const ORDERED = ['bool', 'string', 'bytes', 'timestamp', 'duration'];

export type Functions = ReadonlyMap<string, readonly Overload[]>;

/** Numbers of different types can be compared, as Kubernetes allows it. */
function comparisons(): string {
  const pairs = ORDERED.map((type) => `(${type},${type})bool`);
  for (const a of NUMBERS) for (const b of NUMBERS) pairs.push(`(${a},${b})bool`);
  return ['_<_', '_<=_', '_>_', '_>=_'].map((name) => `${name} ${pairs.join(' ')}`).join('\n');
}

function functionsOf(lines: string): Functions {
  const functions = new Map<string, Overload[]>();
  for (const line of lines.split('\n').filter(Boolean)) {
    const [name = '', ...overloads] = line.split(' ');
    functions.set(name, overloads.map(readOverload));
  }
  return functions;
}

/** `list(A).(A)int`, `(string,string)bool`. */
function readOverload(text: string): Overload {
  const dot = text.indexOf('.(');
  const open = dot < 0 ? 0 : dot + 1;
  let close = open;
  for (let depth = 0; close < text.length; close += 1) {
    if (text[close] === '(') depth += 1;
    else if (text[close] === ')') depth -= 1;
    if (depth === 0) break;
  }
  const target = dot < 0 ? [] : [readType(text.slice(0, dot))];
  return {
    member: dot >= 0,
    args: [...target, ...splitTypes(text.slice(open + 1, close)).map(readType)],
    result: readType(text.slice(close + 1)),
  };
}

let kubernetes: Functions | undefined;

export function kubernetesFunctions(): Functions {
  kubernetes ??= functionsOf(`${STANDARD}${EXTENSIONS}${comparisons()}`);
  return kubernetes;
}
