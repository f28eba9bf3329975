package sample

// Sentences are templates of words and slots; a slot starts with "$". Punctuation
// stands apart, so that a text splits at its spaces. "a" becomes "an" by itself.

// What happens. $tone is a word of mood.
var (
	intros = []string{
		"this $genre follows $name , a $tone $person who $verb a $thing .",
		"a $genre about a $tone $person and a $tone $thing .",
		"in this $genre a $tone $person $verb the $thing of a $person .",
	}
	plots = []string{
		"a $tone $person $verb the $thing of a $tone $person .",
		"in the $place a $tone $person called $name $verb a $thing .",
		"$name and a $tone $person meet at the $place .",
		"when the $person $verb the $thing , the whole $place turns $tone .",
		"soon the $tone $person $verb the $thing and flees the $place .",
	}
	fillers = []string{
		"i saw this film with my $kin on a $day .",
		"the movie runs for two hours .",
		"we did not stay for the credits .",
		"the cinema was half empty , but nobody talked .",
		"my $kin has never read the book .",
		"i went despite the rain .",
		"although it was $day , we got cheap seats .",
	}
)

// Opinions on one side of a film. $V is a word that counts, $D a decoy of the
// other polarity. As a predicate either may be negated, with a word of the
// contrary polarity: $isV is "is gripping", "is so gripping" or "is hardly dull".
// $N is a noun of the side, never the same twice in a row; $VN and $DN are a noun
// with its adjective and article, such as "a gripping plot".
var (
	plain = []string{
		"the $N $isV .",
		"i found the $N $V .",
		"$name thought the $N $isV .",
	}
	piled = []string{
		"the $N $is $V and $V .",
		"i call the $N $V and $V .",
		"the $N $is $V , $V and $V .",
	}
	contrasted = []string{
		"the $N $isD , but the $N $isV .",
		"the $N $isD , yet the $N $isV .",
		"although the $N $isD , the $N $isV .",
		"the $N $isV , although the $N $isD .",
		"despite $DN , the $N $isV .",
		"the $N $isV despite $DN .",
	}
	ordered = []string{
		"i expected $DN and got $VN .",
		"i got $VN where i expected $DN .",
		"the $N $is $D at first and $V by the end .",
		"the $N $is $V after a $D start .",
	}
	weighed = []string{
		"the $N $is slightly $D and deeply $V .",
		"the $N $is deeply $V and slightly $D .",
	}
)
