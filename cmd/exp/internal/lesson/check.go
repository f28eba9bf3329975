package lesson

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"imdbexp/cmd/exp/internal/cli"
)

// letter is a choice with what may follow it: c, (c), c) neither.
var letter = regexp.MustCompile(`^\(?([A-Za-z])(?:$|[^\pL])`)

// exercise returns the number of an exercise of the lesson.
func (l *lesson) exercise(word string) (int, error) {
	n, err := strconv.Atoi(word)
	if err != nil || n < 1 || n > len(l.exercises) {
		return 0, fmt.Errorf("lesson %d has no exercise %s: its exercises are 1 to %d", l.number, word, len(l.exercises))
	}
	return n, nil
}

// judge checks an answer for --check. A wrong one is an error, with a hint.
func (p *printer) judge(exercise int, given string) error {
	if _, err := p.exercise(strconv.Itoa(exercise)); err != nil {
		return cli.Usage(err)
	}
	right, err := p.check(exercise, given)
	switch {
	case err != nil:
		return cli.Usage(err)
	case !right:
		return fmt.Errorf(p.in("lesson %d, exercise %d: %s is not right. Hint: %s exp lesson %d --answers %d shows the solution"),
			p.number, exercise, given, p.exercises[exercise-1].hint, p.number, exercise)
	}
	p.say(p.in("Right."), "", "")
	p.reason(exercise)
	return nil
}

// check returns whether an answer to an exercise is right; an error means that it cannot be read.
func (l *lesson) check(exercise int, given string) (right bool, err error) {
	want, tolerance, numeric := strings.Cut(l.exercises[exercise-1].answer, " ± ")
	given = strings.TrimSpace(given)
	if !numeric {
		m := letter.FindStringSubmatch(given)
		if m == nil {
			return false, errors.New(l.in("the answer is the letter of a choice, such as a"))
		}
		return strings.EqualFold(m[1], want), nil
	}
	x, y, d := number(given), number(want), number(tolerance)
	if math.IsNaN(x) {
		return false, fmt.Errorf(l.in("the answer is a number, such as 0.5, 94,3 %% or ln 2; cannot read %q"), given)
	}
	read := []float64{x}
	if strings.HasSuffix(tolerance, "%") && !strings.Contains(given, "%") { // 0.943 for 94.3 %
		read = append(read, 100*x)
	}
	if thousands.MatchString(given) { // 2,304
		read = append(read, number(strings.NewReplacer(",", "", ".", "").Replace(given)))
	}
	return slices.ContainsFunc(read, func(x float64) bool { return math.Abs(x-y) <= d*(1+1e-9) }), nil
}

// number reads a number or a formula as people write it: 62.2, −1,5, 94,3 %, 1 200, ln 2, 3.77/48 = 0.079. It
// returns NaN if it cannot read it.
func number(text string) float64 {
	plain := signs.Replace(strings.ToLower(text))
	plain = unit.ReplaceAllString(strings.TrimSpace(strings.TrimRight(plain[strings.LastIndex(plain, "=")+1:], " .")), "$1")
	plain = strings.ReplaceAll(argument.ReplaceAllString(plain, "$1($2)"), " ", "")
	formula, err := parser.ParseExpr(plain)
	if err != nil {
		return math.NaN()
	}
	if x := value(formula); !math.IsInf(x, 0) {
		return x
	}
	return math.NaN()
}

var (
	signs     = strings.NewReplacer("−", "-", ",", ".", "%", "", "\u00a0", " ", "\u202f", " ", "·", "*", "×", "*", "√", "sqrt ", "≈", "=", "~", "=", "'", "", "’", "", "½", "(1/2)", "¼", "(1/4)")
	unit      = regexp.MustCompile(`^(.*[\d)]) +[a-z][a-z ]*$`)
	argument  = regexp.MustCompile(`(ln|log|exp|sqrt) *([\d.]+)`)
	thousands = regexp.MustCompile(`^\d{1,3}([.,]\d{3})+$`)
	functions = map[string]func(float64) float64{"ln": math.Log, "log": math.Log, "exp": math.Exp, "sqrt": math.Sqrt}
)

// value returns the value of a formula, NaN if it is not arithmetic.
func value(formula ast.Expr) float64 {
	switch f := formula.(type) {
	case *ast.BasicLit:
		if x, err := strconv.ParseFloat(f.Value, 64); err == nil {
			return x
		}
	case *ast.ParenExpr:
		return value(f.X)
	case *ast.UnaryExpr:
		if f.Op == token.SUB {
			return -value(f.X)
		}
	case *ast.CallExpr:
		if name, ok := f.Fun.(*ast.Ident); ok && functions[name.Name] != nil && len(f.Args) == 1 {
			return functions[name.Name](value(f.Args[0]))
		}
	case *ast.BinaryExpr:
		x, y := value(f.X), value(f.Y)
		switch f.Op {
		case token.ADD:
			return x + y
		case token.SUB:
			return x - y
		case token.MUL:
			return x * y
		case token.QUO:
			return x / y
		}
	}
	return math.NaN()
}
